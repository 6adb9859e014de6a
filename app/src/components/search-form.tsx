import type { ComponentChildren } from "preact";
import { typed } from "./form.tsx";

type SearchFormProps = {
  /** What is looked for, such as a name. */
  label: string;
  /** Called with the words that are looked for; empty for everything. */
  onSearch: (words: string) => void;
  /** What is looked for at first. */
  words?: string;
  /** The words of a button, where what is found is no narrower list. */
  submit?: string;
  /** What else the list is narrowed down by. */
  children?: ComponentChildren;
};

/** Narrows a list down to what has some words in it. */
export function SearchForm({ label, onSearch, words = "", submit, children }: SearchFormProps) {
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    onSearch(typed(new FormData(event.currentTarget as HTMLFormElement), "q"));
  };
  return (
    <form class="filters" onSubmit={search}>
      <input
        type="search"
        name="q"
        class="narrow"
        maxLength={255}
        aria-label={label}
        placeholder={label}
        defaultValue={words}
      />
      {children}
      {submit && (
        <button type="submit" class="primary">
          {submit}
        </button>
      )}
    </form>
  );
}
