import type { Schemas } from "learning-platform-client";
import { useMemo } from "preact/hooks";
import { addSourceLocationToUrl, type SourceLocation } from "../content/source-location.ts";
import { formatSecondsAsClock } from "../format.ts";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { useTopicOffering } from "./topic-context.ts";

/** Sources that an answer cites, as links to the place, or as possibly helpful if the tutor marked them so. */
export function AnswerSourcesList({ of }: { of: Schemas["ChatMessage"]["sources"] }) {
  const links = useHrefsByCitationMark(of);
  if (links.size === 0) return null;
  return (
    <div class="sources">
      <p>{t(of.some(({ perhaps }) => perhaps) ? "sources.perhaps" : "sources")}</p>
      <ul>
        {of.map(({ number, title, place }) => (
          <li key={number}>
            <a href={links.get(markOf(number)) ?? ""}>
              {markOf(number)} {title}
              {placeInWords(place)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A citation mark in the answer's text. */
const markOf = (number: number): string => `[§${number}]`;

/** Targets of the citation marks, memoized. */
export function useHrefsByCitationMark(of: Schemas["ChatMessage"]["sources"]): ReadonlyMap<string, string> {
  const topic = useTopicOffering();
  return useMemo(
    () =>
      new Map(
        of.flatMap(({ number, content_item_id, place }) =>
          topic
            ? [
                [
                  markOf(number),
                  addSourceLocationToUrl(
                    screenHref("courses", topic.course, topic.offering, content_item_id),
                    place,
                  ),
                ],
              ]
            : [],
        ),
      ),
    [of, topic],
  );
}

function placeInWords({ block, seconds, file }: SourceLocation): string {
  if (block !== undefined) return `, ${t("source.block", { n: block })}`;
  if (seconds !== undefined) return `, ${t("source.seconds", { time: formatSecondsAsClock(seconds) })}`;
  return file === undefined ? "" : `, ${file}`;
}
