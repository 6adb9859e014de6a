import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Form } from "../components/form.tsx";
import { t } from "../texts.ts";

type EditingProps = {
  /** What it is called, where it is one of many in the screen. */
  of?: string;
  save: (fields: FormData) => Promise<unknown>;
  /** False for whoever may not delete it. */
  remove: false | (() => Promise<unknown>);
  /** What is asked before it is deleted. */
  sure: string;
  onChange: () => void;
  /** Another form, between the fields and the end. */
  also?: ComponentChildren;
  /** The fields. */
  children: ComponentChildren;
};

/** A thing's fields, to be changed, and its end; closed at first. */
export function Editing({ of: name, save, remove, sure, onChange, also, children }: EditingProps) {
  const [wasOpened, setOpened] = useState(false);
  const change = async (fields: FormData) => {
    await save(fields);
    onChange();
  };
  const end = async () => {
    if (!remove || !confirm(sure)) return;
    await remove();
    onChange();
  };
  return (
    <details onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary aria-label={name && t("edit.of", { name })}>{t("edit")}</summary>
      {/* One of many that are listed has no fields before. */}
      {wasOpened && (
        <>
          <Form send={change} submit={t("save")} done={t("saved")}>
            {children}
          </Form>
          {also}
          {remove && (
            <Action class="quiet" run={end} {...(name && { label: t("delete.of", { name }) })}>
              {t("delete")}
            </Action>
          )}
        </>
      )}
    </details>
  );
}
