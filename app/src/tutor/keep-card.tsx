import { dataOf, PlatformError } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { SubmissionBlocked } from "../refusals.ts";
import { api } from "../service.ts";
import { t } from "../texts.ts";

export const KeepAnswer = ({ message }: { message: number }) => (
  <Keep
    label={t("card.keep")}
    keep={() => dataOf(api.createFlashcardFromAnswer({ body: { message_id: message } }))}
  />
);

/** Makes a flashcard of an answered question, with the correct option on its back. */
export const KeepQuestion = ({ message }: { message: number }) => (
  <Keep label={t("card.keep.question")} keep={() => cardOf(message)} />
);

async function cardOf(message_id: number): Promise<void> {
  const { data, error, response } = await api.createFlashcardFromQuestion({ body: { message_id } });
  // A 400 means that the question has no key.
  if (response.status === 400) throw new SubmissionBlocked(t("card.no.key"));
  if (!data) throw new PlatformError(response, error);
}

function Keep({ label, keep }: { label: string; keep: () => Promise<unknown> }) {
  const [isKept, setKept] = useState(false);
  if (isKept)
    return (
      <span role="status" class="quiet">
        {t("card.kept")}
      </span>
    );
  return (
    <Action
      class="quiet"
      run={async () => {
        await keep();
        setKept(true);
      }}
    >
      {label}
    </Action>
  );
}
