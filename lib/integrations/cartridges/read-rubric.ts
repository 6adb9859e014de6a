import type * as z from "zod";
import { rubric as Rubric } from "../../../schema/api/platform/data-json.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { childElements, deepElementText, type Element } from "./xml.ts";

export function parseRubricXml(
  rubrics: Element,
  identifier: string,
): { rubric: z.output<typeof Rubric> } | { fault: string } {
  const found = childElements(rubrics, "rubric").find(
    ({ attributes }) => attributes["identifier"] === identifier,
  );
  if (!found) return { fault: "the cartridge does not contain it" };
  const given = {
    criteria: childElements(found, "criteria")
      .flatMap((one) => childElements(one, "criterion"))
      .map((criterion, at) => ({
        ...described(criterion, `Criterion ${at + 1}`),
        id: `c${at + 1}`,
        levels: childElements(criterion, "ratings")
          .flatMap((one) => childElements(one, "rating"))
          .map((rating, nth) => ({
            ...described(rating, `Level ${nth + 1}`),
            id: `l${nth + 1}`,
            points: Math.round(Number(textIn(rating, "points")) * 100) / 100,
          })),
      })),
  };
  const { data, error } = Rubric.safeParse(given);
  if (data) return { rubric: data };
  const { field, fault } = describeFirstIssue(given, error, "rubric");
  return { fault: `${field}: ${fault}` };
}

const textIn = (element: Element, name: string): string => deepElementText(childElements(element, name)[0]);

function described(element: Element, untitled: string): { title: string; description?: string } {
  const description = textIn(element, "long_description");
  return {
    title: truncate(textIn(element, "description") || untitled, 255),
    ...(description && { description: truncate(description, 2000) }),
  };
}
