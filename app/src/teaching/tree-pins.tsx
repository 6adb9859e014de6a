import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { answerWithoutQuestionBlock } from "../tutor/steps.ts";
import { dialoguePathLabel } from "./path-label.ts";

type Pin = Schemas["AnswerPin"];

type PinsProps = { tree: Schemas["TopicTree"]; isAuthor: boolean; onChange: () => void };

/** Pinned answers of a topic. Pins that no longer match their question come first, and are not served. */
export function PinnedAnswersList({ tree, isAuthor, onChange }: PinsProps) {
  const path = { content_item_id: tree.content_item_id };
  const pins = useQuery(
    (signal) => allOf(apiClient.listChatTreePins, { params: { path, query: { limit: 100 } }, signal }),
    [tree],
  );
  return (
    <QueryBoundary of={pins}>
      {(found) =>
        found.length > 0 && (
          <section class="card">
            <h2>{t("pins")}</h2>
            <p class="quiet">{t("pins.about")}</p>
            <ul class="list">
              {found.toSorted(staleFirst).map((pin) => (
                <li key={pin.id}>
                  <PinLine pin={pin} isAuthor={isAuthor} onChange={onChange} />
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </QueryBoundary>
  );
}

const staleFirst = (one: Pin, other: Pin): number =>
  Number(other.state === "STALE") - Number(one.state === "STALE");

const stateTexts = { LIVE: "pins.live", WAITING: "pins.waiting", STALE: "pins.stale" } as const;

function PinLine({ pin, isAuthor, onChange }: { pin: Pin; isAuthor: boolean; onChange: () => void }) {
  const params = { path: { content_item_id: pin.content_item_id, pin_id: pin.id } };
  const confirmPin = async () => {
    await dataOf(apiClient.confirmChatTreePin({ params }));
    onChange();
  };
  const drop = async () => {
    if (!confirm(t("pins.drop.sure"))) return;
    await dataOf(apiClient.deleteChatTreePin({ params }));
    onChange();
  };
  return (
    <>
      <p class="row">
        <span class={pin.state === "STALE" ? "badge waiting" : "badge"}>{t(stateTexts[pin.state])}</span>
        <span class="quiet">{dialoguePathLabel(pin.path) || t("path.start")}</span>
      </p>
      <p>{answerWithoutQuestionBlock(pin.answer)}</p>
      {pin.asked && pin.state === "STALE" && (
        <p class="quiet">{t("pins.asked", { question: pin.asked.question })}</p>
      )}
      {pin.asked_now && <p class="quiet">{t("pins.asked.now", { question: pin.asked_now.question })}</p>}
      {isAuthor && (
        <div class="row">
          {pin.asked_now && <ActionButton run={confirmPin}>{t("pins.confirm")}</ActionButton>}
          <ActionButton class="quiet" run={drop}>
            {t("pins.drop")}
          </ActionButton>
        </div>
      )}
    </>
  );
}
