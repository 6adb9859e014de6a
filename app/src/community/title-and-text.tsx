import { typed } from "../components/form.tsx";
import { t } from "../texts.ts";

/** What people write to others: a title, and a text of at most so many characters. */
export function TitleAndText({ maxLength }: { maxLength: number }) {
  return (
    <>
      <label>
        {t("title")}
        <input name="title" maxLength={255} required />
      </label>
      <label>
        {t("text")}
        <textarea name="body" rows={5} maxLength={maxLength} required />
      </label>
    </>
  );
}

export const titleAndTextOf = (fields: FormData) => ({
  title: typed(fields, "title"),
  body: typed(fields, "body"),
});
