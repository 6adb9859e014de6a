import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { explain } from "../reading.tsx";

type FormProps = {
  /** Sends what the form holds; what it throws is said beside the button. */
  send: (fields: FormData) => Promise<unknown>;
  submit: string;
  /** Said when it was sent. */
  done?: string;
  /** Whether the form is empty afterwards. */
  clears?: boolean;
  class?: string;
  label?: string;
  children: ComponentChildren;
};

type State = { isSending: boolean; fault?: string; isDone?: boolean };

/** A form whose deed the service may refuse: it waits for the answer, and says what became of it. */
export function Form({
  send,
  submit,
  done,
  clears = false,
  class: kind = "form",
  label,
  children,
}: FormProps) {
  const [{ isSending, fault, isDone }, setState] = useState<State>({ isSending: false });
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending) return;
    const form = event.currentTarget as HTMLFormElement;
    setState({ isSending: true });
    try {
      await send(new FormData(form));
      if (clears) form.reset();
      setState({ isSending: false, isDone: true });
    } catch (error) {
      setState({ isSending: false, fault: explain(error) });
    }
  };
  return (
    <form class={kind} onSubmit={start} aria-label={label}>
      {children}
      <div class="row">
        <button type="submit" class="primary" aria-busy={isSending}>
          {submit}
        </button>
        <span role="status" class="quiet">
          {isDone && done}
        </span>
      </div>
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

/** What was typed into a field, without the blanks around it. */
export const typed = (fields: FormData, name: string): string => String(fields.get(name) ?? "").trim();
