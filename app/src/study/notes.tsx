import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { formatDay } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { fragmentParameter } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Note = Schemas["Note"];

export function StudyNotesEditor({ itemId }: { itemId: number }) {
  const query = { content_item_id: itemId, limit: 100 };
  const notes = useQuery((signal) => dataOf(apiClient.listNotes({ params: { query }, signal })), [itemId]);
  const sought = Number(fragmentParameter(location.hash, "note"));
  async function add(fields: FormData) {
    await dataOf(
      apiClient.createNote({ body: { content_item_id: itemId, body: readTextField(fields, "body") } }),
    );
    notes.again();
  }
  return (
    <>
      <QueryBoundary of={notes}>
        {(found) =>
          found.length === 0 ? (
            <EmptyMessage>{t("notes.empty")}</EmptyMessage>
          ) : (
            <ul class="stack">
              {found.map((note) => (
                <li
                  key={`${note.id} ${note.updated_at}`}
                  class="card"
                  ref={note.id === sought ? showAtOnce : null}
                >
                  <NoteView note={note} onChange={notes.again} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
      <Form send={add} submit={t("notes.add")} done={t("saved")} draft={`note on ${itemId}`} clears>
        <Field name="body" label={t("notes.new")}>
          <textarea rows={3} maxLength={20_000} required />
        </Field>
      </Form>
    </>
  );
}

/** Scrolls to the note in the address, for example from search. */
const showAtOnce = (line: HTMLElement | null) => line?.scrollIntoView({ block: "center" });

function NoteView({ note, onChange }: { note: Note; onChange: () => void }) {
  const [isEditing, setEditing] = useState(false);
  const params = { path: { note_id: note.id } };
  const save = async (fields: FormData) => {
    await dataOf(apiClient.updateNote({ params, body: { body: readTextField(fields, "body") } }));
    onChange();
  };
  const remove = async () => {
    if (!confirm(t("notes.delete.sure"))) return;
    await dataOf(apiClient.deleteNote({ params }));
    onChange();
  };
  if (isEditing)
    return (
      <Form send={save} submit={t("save")} draft={`note ${note.id}`} onCancel={() => setEditing(false)}>
        <Field name="body" label={t("notes.one")}>
          <textarea rows={4} maxLength={20_000} defaultValue={note.body} required />
        </Field>
      </Form>
    );
  return (
    <>
      <MarkdownWithFormulas source={note.body} inLines />
      <div class="row tools">
        <small>{formatDay(note.updated_at)}</small>
        <ButtonWithFocusFallback class="quiet" onClick={() => setEditing(true)}>
          {t("edit")}
        </ButtonWithFocusFallback>
        <ActionButton class="quiet" run={remove}>
          {t("delete")}
        </ActionButton>
      </div>
    </>
  );
}
