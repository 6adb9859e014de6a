import type { ComponentChildren } from "preact";
import { t } from "../texts.ts";
import { Form } from "./form.tsx";

type NewCardProps = {
  id: string;
  title: string;
  submit: string;
  send: (fields: FormData) => Promise<unknown>;
  done?: string;
  /** Key of the draft, stored until the form is sent. */
  draft?: string;
  children: ComponentChildren;
};

/** A card next to a list, with a form that adds an entry. */
export function NewEntryCard({ id, title, submit, send, done = t("saved"), draft, children }: NewCardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Form send={send} submit={submit} done={done} clears {...(draft && { draft })}>
        {children}
      </Form>
    </section>
  );
}
