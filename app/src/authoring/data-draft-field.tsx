import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ContentData } from "./at-path.ts";

type DraftProps = {
  data: ContentData;
  /** The data as it is stored. */
  saved: ContentData;
  onChange: (data: ContentData) => void;
};

/** Keeps the content in the form's draft: drafts store text fields, and this hidden one has all of the content. */
export function HiddenContentDraftField({ data, saved, onChange }: DraftProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const written = JSON.stringify(data);
  const latest = useRef(() => {});
  latest.current = () => onChange(saved);
  useEffect(() => {
    const form = field.current?.form;
    const reset = () => latest.current();
    form?.addEventListener("reset", reset);
    return () => form?.removeEventListener("reset", reset);
  }, []);
  // Before the next paint: a letter typed just before a reload is in the draft.
  useLayoutEffect(() => {
    const kept = field.current;
    if (!kept || kept.value === written) return;
    kept.value = written;
    kept.dispatchEvent(new Event("input", { bubbles: true }));
  }, [written]);
  return (
    <textarea
      ref={field}
      name="draft_of_data"
      hidden
      defaultValue={JSON.stringify(saved)}
      // Restoring a draft sets the value.
      onInput={({ currentTarget: { value } }) => value !== written && onChange(JSON.parse(value))}
    />
  );
}
