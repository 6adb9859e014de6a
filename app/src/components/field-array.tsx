import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../texts.ts";
import { arrayMove } from "./array-move.ts";
import { focusMoveButtonOfLine, MoveUpDownButtons } from "./move-buttons.tsx";

type FieldArrayProps<Row> = {
  label: string;
  rows: readonly Row[];
  onChange: (rows: Row[]) => void;
  /** Whether the rows can be reordered. */
  isOrdered?: boolean;
  add: readonly (readonly [string, () => Row])[];
  /** Renders a row. `change` replaces it. */
  children: (row: Row, at: number, change: (row: Row) => void) => ComponentChildren;
};

type Focus = { at: number; by?: -1 | 1 };

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
    if (focus.by) focusMoveButtonOfLine(row, focus.by);
    else (row ?? group.current)?.querySelector<HTMLElement>("input, textarea, select, .adds button")?.focus();
  }, [focus]);
  const change = (next: Row[], focused: Focus) => {
    onChange(next);
    // Typing fires input events. Adding and moving rows does not, so fire one here.
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
                <MoveUpDownButtons
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

/** Stable keys for rows without ids. State in a row, such as an upload, moves with it. */
function useKeys(count: number): { current: readonly number[] } {
  const keys = useRef<readonly number[]>([]);
  const made = useRef(0);
  const kept = keys.current.slice(0, count);
  keys.current = [...kept, ...Array.from({ length: count - kept.length }, () => made.current++)];
  return keys;
}
