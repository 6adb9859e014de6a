import type * as z from "zod";
import { rubric as Rubric } from "../../../schema/api/platform/data-json.ts";
import { encodeOmission, type ReportOmission } from "../../platform/results/omission-codes.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { cutText } from "./settings.ts";
import { childElements, deepElementText, type Element } from "./xml.ts";

/** A criterion that Canvas does not score gives no points. */
export function parseRubricXml(
  rubrics: Element,
  identifier: string,
  leaveOut: ReportOmission,
): { rubric: z.output<typeof Rubric> } | { fault: string } {
  const found = childElements(rubrics, "rubric").find(
    ({ attributes }) => attributes["identifier"] === identifier,
  );
  if (!found) return { fault: "the cartridge does not contain it" };
  reportIfOn(found, "free_form_criterion_comments", leaveOut);
  const given = {
    criteria: childElements(found, "criteria")
      .flatMap((one) => childElements(one, "criterion"))
      .map((criterion, at) => {
        reportIfOn(criterion, "criterion_use_range", leaveOut);
        const isIgnored = reportIfOn(criterion, "ignore_for_scoring", leaveOut);
        return {
          ...described(criterion, `Criterion ${at + 1}`, leaveOut),
          id: `c${at + 1}`,
          levels: childElements(criterion, "ratings")
            .flatMap((one) => childElements(one, "rating"))
            .map((rating, nth) => ({
              ...described(rating, `Level ${nth + 1}`, leaveOut),
              id: `l${nth + 1}`,
              points: isIgnored ? 0 : Math.round(Number(textIn(rating, "points")) * 100) / 100,
            })),
        };
      }),
  };
  const { data, error } = Rubric.safeParse(given);
  if (data) return { rubric: data };
  const { field, fault } = describeFirstIssue(given, error, "rubric");
  return { fault: `${field}: ${fault}` };
}

const textIn = (element: Element, name: string): string => deepElementText(childElements(element, name)[0]);

function reportIfOn(element: Element, setting: string, leaveOut: ReportOmission): boolean {
  const isOn = textIn(element, setting) === "true";
  if (isOn) leaveOut(encodeOmission("left_out_setting", { setting, value: "true" }));
  return isOn;
}

function described(
  element: Element,
  untitled: string,
  leaveOut: ReportOmission,
): { title: string; description?: string } {
  const description = textIn(element, "long_description");
  return {
    title: cutText(textIn(element, "description") || untitled, 255, untitled, leaveOut),
    ...(description && { description: cutText(description, 2000, untitled, leaveOut) }),
  };
}
