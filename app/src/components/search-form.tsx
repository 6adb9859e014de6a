import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { stripUnstorableCharacters } from "../storable.ts";
import { useDebouncedValue } from "./use-debounced.ts";

type SearchFormProps = {
  label: string;
  /** Called with the search text while the user types, or on submit if there is a button. Empty means everything. */
  onSearch: (words: string) => void;
  words?: string;
  /** Label of the button, if the result is not a filtered list. */
  submit?: string;
  children?: ComponentChildren;
};

export function SearchForm({ label, onSearch, words = "", submit, children }: SearchFormProps) {
  const [typed, type] = useState(words);
  const settled = useDebouncedValue(typed);
  const sent = useRef(words);
  const search = (text: string) => {
    sent.current = stripUnstorableCharacters(text).trim();
    onSearch(sent.current);
  };
  useEffect(() => {
    if (!submit && settled.trim() !== sent.current) search(settled);
  }, [settled]);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    search(typed);
  };
  return (
    <form class="filters" onSubmit={send}>
      <input
        type="search"
        name="q"
        class="narrow"
        maxLength={255}
        aria-label={label}
        placeholder={label}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
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
