import type { Schemas } from "learning-platform-client";
import { useEffect } from "preact/hooks";
import { formatDayAndTime } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import type { ConversationState } from "./conversation-state.ts";
import { useReloadOnOtherTabMessage } from "./other-tabs.ts";
import { useTopicOffering } from "./topic-context.ts";

type HandoversProps = { state: ConversationState; look: () => Promise<void> };

/** Hand-offs of a conversation with their replies. */
export function HandoversWithReplies({ state: { session, received, fault }, look }: HandoversProps) {
  const topic = useTopicOffering();
  const isQuiet = received === undefined && fault === undefined;
  useReturn(session && isQuiet ? look : undefined);
  useReloadOnOtherTabMessage(session?.id, isQuiet ? look : undefined);
  if (!session || !topic) return null;
  return (
    <>
      {session.handovers.map((handover) => (
        <Handover key={handover.thread_id} handover={handover} course={topic.course} />
      ))}
    </>
  );
}

/** Reloads when the tab becomes visible: there may be replies, or messages from another tab. */
function useReturn(look: (() => Promise<void>) | undefined): void {
  useEffect(() => {
    const listener = () => void (document.visibilityState === "visible" && look?.().catch(() => undefined));
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  }, [look]);
}

type HandoverProps = { handover: Schemas["ChatHandover"]; course: string };

function Handover({ handover, course }: HandoverProps) {
  const { thread_id, course_offering_id, question, visible, replies } = handover;
  const heading = `handover-${thread_id}`;
  return (
    <section class="notice handover" aria-labelledby={heading}>
      <h3 id={heading}>{t(`ask.asked.${visible}`)}</h3>
      <MarkdownWithFormulas source={question} inLines />
      {replies.length === 0 && <p class="quiet">{t("ask.waiting")}</p>}
      {replies.map(({ post_id, user_name, body, created_at }) => (
        <article key={post_id} aria-labelledby={`reply-${post_id}`}>
          <p id={`reply-${post_id}`}>
            <strong>{user_name ?? t("someone")}</strong> <small>{formatDayAndTime(created_at)}</small>
          </p>
          <MarkdownWithFormulas source={body} inLines />
        </article>
      ))}
      <a href={screenHref("courses", course, course_offering_id, "discussions", thread_id)}>
        {t("ask.open")}
      </a>
    </section>
  );
}
