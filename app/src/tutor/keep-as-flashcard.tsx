import { dataOf, PlatformError } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CardIcon } from "./icons.tsx";

export const KeepAnswerAsFlashcardButton = ({ message }: { message: number }) => (
  <Keep
    label={t("card.keep")}
    icon={<CardIcon />}
    keep={() => dataOf(apiClient.createFlashcardFromAnswer({ body: { message_id: message } }))}
  />
);

/** Makes a flashcard of an answered question, with the correct option on its back. */
export const KeepQuestionAsFlashcardButton = ({ message }: { message: number }) => (
  <Keep label={t("card.keep.question")} keep={() => cardOf(message)} />
);

async function cardOf(message_id: number): Promise<void> {
  const { data, error, response } = await apiClient.createFlashcardFromQuestion({ body: { message_id } });
  // A 400 means that the question has no key.
  if (response.status === 400) throw new FormSubmissionBlockedError(t("card.no.key"));
  if (!data) throw new PlatformError(response, error);
}

type KeepProps = { label: string; icon?: ComponentChildren; keep: () => Promise<unknown> };

function Keep({ label, icon, keep }: KeepProps) {
  const [isKept, setKept] = useState(false);
  if (isKept)
    return (
      <span role="status" class="quiet">
        {t("card.kept")}
      </span>
    );
  return (
    <ActionButton
      class="quiet"
      {...(icon !== undefined && { label })}
      run={async () => {
        await keep();
        setKept(true);
      }}
    >
      {icon ?? label}
    </ActionButton>
  );
}
