import type { ComponentChildren } from "preact";
import { typed } from "./form.tsx";

type SearchFormProps = {
  /** What is looked for, such as a name. */
  label: string;
  /** Called with the words that are looked for; empty for everything. */
  onSearch: (words: string) => void;
  /** What else the list is narrowed down by. */
  children?: ComponentChildren;
};

/** Narrows a list down to what has some words in it. */
export function SearchForm({ label, onSearch, children }: SearchFormProps) {
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    onSearch(typed(new FormData(event.currentTarget as HTMLFormElement), "q"));
  };
  return (
    <form class="filters" onSubmit={search}>
      <input type="search" name="q" class="narrow" aria-label={label} placeholder={label} />
      {children}
    </form>
  );
}
