import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Form } from "../components/form.tsx";
import { t } from "../texts.ts";

type EditingProps = {
  /** The entry's name if the screen lists several. */
  of?: string;
  save: (fields: FormData) => Promise<unknown>;
  /** False if the caller may not delete it. */
  remove: false | (() => Promise<unknown>);
  sure: string;
  onChange: () => void;
  also?: ComponentChildren;
  children: ComponentChildren;
};

/** A collapsed form that edits or deletes an entry. */
export function EditOrDeleteForm({ of: name, save, remove, sure, onChange, also, children }: EditingProps) {
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
      {/* Fields are mounted on first opening. */}
      {wasOpened && (
        <>
          <Form send={change} submit={t("save")} done={t("saved")}>
            {children}
          </Form>
          {also}
          {remove && (
            <ActionButton class="quiet" run={end} {...(name && { label: t("delete.of", { name }) })}>
              {t("delete")}
            </ActionButton>
          )}
        </>
      )}
    </details>
  );
}
