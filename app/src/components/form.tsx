import { PlatformError } from "learning-platform-client";
import { type ComponentChildren, createContext } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { retryAfterSecondsOrZero } from "../error-classes.ts";
import { formatDayAndTime } from "../format.ts";
import { explainError } from "../query.tsx";
import { stripUnstorableCharacters } from "../storable.ts";
import { t } from "../texts.ts";
import { waitForWorkBeforeFormSubmit } from "./before-form-submit.ts";
import { ButtonWithFocusFallback } from "./button.tsx";
import { assignIssuesToFields, type FieldIssuesAndRest } from "./field-issues.ts";
import { useFocusFallback } from "./focus-fallback.ts";
import { Notice } from "./notice.tsx";
import { confirmLosingUnsavedEdits, useMarkFormEdited } from "./unsaved.ts";
import { useFormDraft } from "./use-draft.ts";

type FormProps = {
  /**
   * Sends the form. Errors appear at their field or next to the button. With `present` it overwrites another
   * person's change.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the service decides its type, and the sender knows it
  send: (fields: FormData, present?: any) => Promise<unknown>;
  /** Shows another person's change instead of the version that the form was opened with. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  onPresent?: (present: any) => void;
  submit: string;
  done?: string;
  clears?: boolean;
  /** Adds a cancel button, which asks before it discards edits. */
  onCancel?: () => void;
  /** Key of the draft, stored in the browser until the form is sent. */
  draft?: string;
  class?: string;
  label?: string;
  children: ComponentChildren;
};

type State = { isSending: boolean; isDone?: boolean; present?: unknown } & FieldIssuesAndRest;

const noIssues: FieldIssuesAndRest = { at: {}, rest: "" };

/** Errors of the surrounding form, by field name. */
export const IssueByFieldContext = createContext<FieldIssuesAndRest["at"]>({});

/** A form that waits for its request and shows the outcome. Leaving it with edits asks first. */
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
    ...noIssues,
  });
  useEffect(() => ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), [at]);
  const setUnsaved = useMarkFormEdited(ref);
  const [round, setRound] = useState(0);
  const latest = useRef(send);
  latest.current = send;
  const draft = useFormDraft(ref, thing);
  const type = ({ target }: Event) => {
    if (!draft.keep(target)) setUnsaved(true);
  };
  const putAway = () => {
    const form = ref.current;
    if (draft.isKept() ? !confirm(t("unsaved.leave")) : !confirmLosingUnsavedEdits(form)) return;
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
    setState({ isSending: true, ...noIssues });
    try {
      await waitForWorkBeforeFormSubmit(form);
      setUnsaved(false);
      await latest.current(new FormData(form), present);
      draft.remove();
      if (clears) form.reset();
      setState({ isSending: false, isDone: true, ...noIssues });
    } catch (error) {
      setUnsaved(true);
      setState({ isSending: false, present: onPresent && presentIn(error), ...issuesOfError(error, form) });
    }
  };
  const showPresent = () => {
    onPresent?.(present);
    draft.remove();
    setUnsaved(false);
    setState({ isSending: false, ...noIssues });
    setRound(round + 1);
  };
  return (
    <form class={kind} onSubmit={prevented(sendOver)} onInput={type} aria-label={label} ref={ref}>
      {draft.restoredFrom && (
        <Notice action={{ label: t("draft.discard"), run: discard }}>
          {t("draft.restored", { moment: formatDayAndTime(draft.restoredFrom) })}
        </Notice>
      )}
      <IssueByFieldContext.Provider value={at} key={round}>
        {children}
      </IssueByFieldContext.Provider>
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
  const button = useFocusFallback<HTMLButtonElement>();
  return (
    <div class="row">
      <button type="submit" class="primary" aria-busy={isSending} ref={button}>
        {submit}
      </button>
      {onCancel && (
        <ButtonWithFocusFallback class="quiet" onClick={onCancel}>
          {t("cancel")}
        </ButtonWithFocusFallback>
      )}
      <span role="status" class="quiet">
        {done}
      </span>
    </div>
  );
}

/** After a conflict (412): overwrite, or show the current version. */
const Overwriting = ({ onSave, onShow }: { onSave: () => void; onShow: () => void }) => (
  <div class="row">
    <ButtonWithFocusFallback onClick={onSave}>{t("changed.save")}</ButtonWithFocusFallback>
    <ButtonWithFocusFallback class="quiet" onClick={onShow}>
      {t("changed.show")}
    </ButtonWithFocusFallback>
  </div>
);

/** Prevents the browser's submit. */
const prevented = (send: () => Promise<void>) => (event: SubmitEvent) => {
  event.preventDefault();
  return send();
};

/** The current version from a 412 response. */
const presentIn = (error: unknown): unknown =>
  error instanceof PlatformError && error.status === 412 ? error.current : undefined;

/** Errors can be shown only at a `Field`. */
function issuesOfError(error: unknown, form: HTMLFormElement): FieldIssuesAndRest {
  const isOfFields = error instanceof PlatformError && error.status !== 412 && error.status < 500;
  if (!isOfFields || retryAfterSecondsOrZero(error) > 0) return { at: {}, rest: explainError(error) };
  const fields = [...form.querySelectorAll<HTMLInputElement>("[data-field]")];
  return assignIssuesToFields(
    error,
    fields.map(({ name }) => name),
  );
}

export const readTextField = (fields: FormData, name: string): string =>
  stripUnstorableCharacters(String(fields.get(name) ?? "")).trim();

export const readTextFieldOrNull = (fields: FormData, name: string): string | null =>
  readTextField(fields, name) || null;

export const readSelectField = <Value extends string>(fields: FormData, name: string): Value =>
  readTextField(fields, name) as Value;

export const isCheckboxFieldChecked = (fields: FormData, name: string): boolean => fields.has(name);
