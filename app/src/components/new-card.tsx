import type { ComponentChildren } from "preact";
import { t } from "../texts.ts";
import { Form } from "./form.tsx";

type NewCardProps = {
  /** The card's name in the page. */
  id: string;
  title: string;
  submit: string;
  send: (fields: FormData) => Promise<unknown>;
  /** Said when it was sent. */
  done?: string;
  /** As what its texts are kept until they are sent. */
  draft?: string;
  children: ComponentChildren;
};

/** Stands beside a list, and adds to it. */
export function NewCard({ id, title, submit, send, done = t("saved"), draft, children }: NewCardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Form send={send} submit={submit} done={done} clears {...(draft && { draft })}>
        {children}
      </Form>
    </section>
  );
}
