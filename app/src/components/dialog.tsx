import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import styles from "../../styles/later/dialog.css";
import { adoptStyles } from "../adopt-styles.ts";
import { t } from "../texts.ts";
import { ButtonWithFocusFallback } from "./button.tsx";
import { confirmLosingUnsavedEdits } from "./unsaved.ts";

adoptStyles(styles);

type DialogProps = { label: string; onClose: () => void; children: ComponentChildren };

/** A modal dialog, open while mounted. Closing it with edits asks first. */
export function Dialog({ label, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => confirmLosingUnsavedEdits(dialog.current) && dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="card"
      aria-labelledby={heading}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <div class="row apart">
        <h2 id={heading}>{label}</h2>
        <ButtonWithFocusFallback class="quiet" onClick={close}>
          {t("close")}
        </ButtonWithFocusFallback>
      </div>
      {children}
    </dialog>
  );
}
