import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../texts.ts";
import { arrayMove } from "./array-move.ts";
import { focusMoved, MoveButtons } from "./move-buttons.tsx";

type FieldArrayProps<Row> = {
  label: string;
  rows: readonly Row[];
  onChange: (rows: Row[]) => void;
  /** Whether their order says something. */
  isOrdered?: boolean;
  /** What adds a row: the words of the button, and the row. */
  add: readonly (readonly [string, () => Row])[];
  /** Draws a row; `change` puts another in its place. */
  children: (row: Row, at: number, change: (row: Row) => void) => ComponentChildren;
};

type Focus = { at: number; by?: -1 | 1 };

/** A list within a form: rows are added, changed, moved and taken away, and sent with the form. */
export function FieldArray<Row>({
  label,
  rows,
  onChange,
  isOrdered = true,
  add,
  children,
}: FieldArrayProps<Row>) {
  const group = useRef<HTMLFieldSetElement>(null);
  const [focus, setFocus] = useState<Focus>();
  const keys = useKeys(rows.length);
  useEffect(() => {
    if (!focus) return;
    const row = group.current?.querySelector(`:scope > ol > [data-row="${focus.at}"]`);
    if (focus.by) focusMoved(row, focus.by);
    else (row ?? group.current)?.querySelector<HTMLElement>("input, textarea, select, .adds button")?.focus();
  }, [focus]);
  const change = (next: Row[], focused: Focus) => {
    onChange(next);
    // The form around hears of what is typed by itself, and of this by the same name.
    group.current?.dispatchEvent(new Event("input", { bubbles: true }));
    setFocus(focused);
  };
  return (
    <fieldset class="rows" ref={group}>
      <legend>{label}</legend>
      <ol>
        {rows.map((row, at) => (
          <li key={keys.current[at]} data-row={at}>
            <div class="fields">
              {children(row, at, (next) =>
                onChange(rows.map((one, position) => (position === at ? next : one))),
              )}
            </div>
            <span class="row">
              {isOrdered && (
                <MoveButtons
                  title={String(at + 1)}
                  isFirst={at === 0}
                  isLast={at === rows.length - 1}
                  onMove={(by) => {
                    keys.current = arrayMove(keys.current, at, at + by);
                    change(arrayMove(rows, at, at + by), { at: at + by, by });
                  }}
                />
              )}
              <button
                type="button"
                class="quiet"
                aria-label={t("rows.remove", { n: at + 1 })}
                onClick={() => {
                  const isLeft = (_: unknown, position: number) => position !== at;
                  keys.current = keys.current.filter(isLeft);
                  change(rows.filter(isLeft), { at: Math.min(at, rows.length - 2) });
                }}
              >
                {t("delete")}
              </button>
            </span>
          </li>
        ))}
      </ol>
      <div class="row adds">
        {add.map(([words, fresh]) => (
          <button key={words} type="button" onClick={() => change([...rows, fresh()], { at: rows.length })}>
            {words}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** Rows have no names, and what is on its way within one, such as a file, goes with it when it is moved. */
function useKeys(count: number): { current: readonly number[] } {
  const keys = useRef<readonly number[]>([]);
  const made = useRef(0);
  const kept = keys.current.slice(0, count);
  keys.current = [...kept, ...Array.from({ length: count - kept.length }, () => made.current++)];
  return keys;
}
