import type { ComponentChildren } from "preact";
import { Action } from "../parts/action.tsx";
import { Form } from "../parts/form.tsx";
import { NewCard } from "../parts/new-card.tsx";
import { Listed, type Paged } from "../parts/paged.tsx";
import { t } from "../texts.ts";

type EditableListProps<One> = {
  of: Paged<One>;
  /** What stands where there is nothing. */
  empty: string;
  /** How one is shown in its card. */
  view: (one: One) => ComponentChildren;
  /** The form for a new one, below the list; false for whoever may not make one. */
  fresh: false | { title: string; submit: string; send: (fields: FormData) => Promise<unknown> };
  /** The fields of that form. */
  children: ComponentChildren;
};

/** Things that are kept in a list: each in a card, and a form for a new one. */
export function EditableList<One extends { id: number }>(props: EditableListProps<One>) {
  const { of: paged, empty, view, fresh, children } = props;
  return (
    <>
      <Listed of={paged} empty={empty}>
        {(found) => (
          <ul class="stack">
            {found.map((one) => (
              <li key={one.id} class="card">
                {view(one)}
              </li>
            ))}
          </ul>
        )}
      </Listed>
      {fresh && (
        <NewCard
          id="new"
          title={fresh.title}
          submit={fresh.submit}
          send={async (fields) => {
            await fresh.send(fields);
            paged.reading.again();
          }}
        >
          {children}
        </NewCard>
      )}
    </>
  );
}

type EditingProps = {
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
export function Editing({ save, remove, sure, onChange, also, children }: EditingProps) {
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
    <details>
      <summary>{t("edit")}</summary>
      <Form send={change} submit={t("save")} done={t("saved")}>
        {children}
      </Form>
      {also}
      {remove && (
        <Action class="quiet" run={end}>
          {t("delete")}
        </Action>
      )}
    </details>
  );
}
