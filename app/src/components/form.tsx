import { PlatformError } from "learning-platform-client";
import { type ComponentChildren, createContext } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { dayAndTime } from "../format.ts";
import { explain } from "../query.tsx";
import { secondsToWait } from "../refusals.ts";
import { storable } from "../storable.ts";
import { t } from "../texts.ts";
import { readyToSend } from "./before-send.ts";
import { Button } from "./button.tsx";
import { type FieldIssues, issuesAt } from "./field-issues.ts";
import { useFocusHandedOn } from "./keep-focus.ts";
import { Notice } from "./notice.tsx";
import { mayLeave, useUnsaved } from "./unsaved.ts";
import { useDraft } from "./use-draft.ts";

type FormProps = {
  /**
   * Sends what the form holds; what it throws is said at its field, or else beside the button. With `present` it is sent
   * over what someone else has made of the thing meanwhile.
   */
  // biome-ignore lint/suspicious/noExplicitAny: what it is the service says, and the sender knows
  send: (fields: FormData, present?: any) => Promise<unknown>;
  /** Shows what someone else has made of the thing, in place of what it was when the form was opened. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  onPresent?: (present: any) => void;
  submit: string;
  /** Said when it was sent. */
  done?: string;
  /** Whether the form is empty afterwards. */
  clears?: boolean;
  /** Puts the form away, which it offers then; whoever has edited it is asked. */
  onCancel?: () => void;
  /** As what its texts are kept in the browser until they are sent. */
  draft?: string;
  class?: string;
  label?: string;
  children: ComponentChildren;
};

type State = { isSending: boolean; isDone?: boolean; present?: unknown } & FieldIssues;

const noFaults: FieldIssues = { at: {}, rest: "" };

/** What the service refused of the form around, by the fields' names. */
export const IssuesContext = createContext<FieldIssues["at"]>({});

/**
 * A form whose deed the service may refuse: it waits for the answer, and says what became of it. Whoever leaves it
 * edited is asked.
 */
export function Form({
  send,
  onPresent,
  submit,
  done,
  clears = false,
  onCancel,
  draft: thing,
  class: kind = "form",
  label,
  children,
}: FormProps) {
  const ref = useRef<HTMLFormElement>(null);
  const [{ isSending, isDone, present, at, rest }, setState] = useState<State>({
    isSending: false,
    ...noFaults,
  });
  useEffect(() => ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), [at]);
  const setUnsaved = useUnsaved(ref);
  const [round, setRound] = useState(0);
  const latest = useRef(send);
  latest.current = send;
  const draft = useDraft(ref, thing);
  const type = ({ target }: Event) => {
    if (!draft.keep(target)) setUnsaved(true);
  };
  const putAway = () => {
    const form = ref.current;
    if (draft.isKept() ? !confirm(t("unsaved.leave")) : !mayLeave(form)) return;
    draft.remove();
    onCancel?.();
  };
  const discard = () => {
    draft.remove();
    setUnsaved(false);
    ref.current?.reset();
  };
  const sendOver = async (present?: unknown) => {
    const form = ref.current;
    if (isSending || !form) return;
    setState({ isSending: true, ...noFaults });
    try {
      await readyToSend(form);
      setUnsaved(false);
      await latest.current(new FormData(form), present);
      draft.remove();
      if (clears) form.reset();
      setState({ isSending: false, isDone: true, ...noFaults });
    } catch (error) {
      setUnsaved(true);
      setState({ isSending: false, present: onPresent && presentIn(error), ...faultsOf(error, form) });
    }
  };
  const showPresent = () => {
    onPresent?.(present);
    draft.remove();
    setUnsaved(false);
    setState({ isSending: false, ...noFaults });
    setRound(round + 1);
  };
  return (
    <form class={kind} onSubmit={prevented(sendOver)} onInput={type} aria-label={label} ref={ref}>
      {draft.restoredFrom && (
        <Notice action={{ label: t("draft.discard"), run: discard }}>
          {t("draft.restored", { moment: dayAndTime(draft.restoredFrom) })}
        </Notice>
      )}
      <IssuesContext.Provider value={at} key={round}>
        {children}
      </IssuesContext.Provider>
      <Buttons {...{ submit, isSending }} done={isDone && done} onCancel={onCancel && putAway} />
      {rest && (
        <p class="fault" role="alert">
          {rest}
        </p>
      )}
      {present !== undefined && <Overwriting onSave={() => sendOver(present)} onShow={showPresent} />}
    </form>
  );
}

type ButtonsProps = Pick<FormProps, "submit"> & {
  isSending: boolean;
  done: ComponentChildren;
  onCancel: (() => void) | undefined;
};

function Buttons({ submit, isSending, done, onCancel }: ButtonsProps) {
  const button = useFocusHandedOn<HTMLButtonElement>();
  return (
    <div class="row">
      <button type="submit" class="primary" aria-busy={isSending} ref={button}>
        {submit}
      </button>
      {onCancel && (
        <Button class="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      )}
      <span role="status" class="quiet">
        {done}
      </span>
    </div>
  );
}

/** For a thing that someone else has changed meanwhile: to save over that, or to see it. */
const Overwriting = ({ onSave, onShow }: { onSave: () => void; onShow: () => void }) => (
  <div class="row">
    <Button onClick={onSave}>{t("changed.save")}</Button>
    <Button class="quiet" onClick={onShow}>
      {t("changed.show")}
    </Button>
  </div>
);

/** In place of what the browser would do with a form. */
const prevented = (send: () => Promise<void>) => (event: SubmitEvent) => {
  event.preventDefault();
  return send();
};

/** What the thing has become that someone else has written meanwhile. */
const presentIn = (error: unknown): unknown =>
  error instanceof PlatformError && error.status === 412 ? error.current : undefined;

/** Only of a `Field` a fault can be said where it is. */
function faultsOf(error: unknown, form: HTMLFormElement): FieldIssues {
  const isOfFields = error instanceof PlatformError && error.status !== 412 && error.status < 500;
  if (!isOfFields || secondsToWait(error) > 0) return { at: {}, rest: explain(error) };
  const fields = [...form.querySelectorAll<HTMLInputElement>("[data-field]")];
  return issuesAt(
    error,
    fields.map(({ name }) => name),
  );
}

/** What was typed into a field, without the blanks around it. */
export const typed = (fields: FormData, name: string): string =>
  storable(String(fields.get(name) ?? "")).trim();

/** The same, where an empty field stands for nothing. */
export const typedOrNull = (fields: FormData, name: string): string | null => typed(fields, name) || null;

/** What was chosen from a list of values that the service names. */
export const chosen = <Value extends string>(fields: FormData, name: string): Value =>
  typed(fields, name) as Value;

export const isChecked = (fields: FormData, name: string): boolean => fields.has(name);
