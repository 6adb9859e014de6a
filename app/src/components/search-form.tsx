import type { ComponentChildren } from "preact";
import { readTextField } from "./form.tsx";

type SearchFormProps = {
  label: string;
  /** Called with the search text. Empty means everything. */
  onSearch: (words: string) => void;
  words?: string;
  /** Label of the button, if the result is not a filtered list. */
  submit?: string;
  children?: ComponentChildren;
};

export function SearchForm({ label, onSearch, words = "", submit, children }: SearchFormProps) {
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    onSearch(readTextField(new FormData(event.currentTarget as HTMLFormElement), "q"));
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
