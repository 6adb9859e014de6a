import type { Schemas } from "learning-platform-client";
import { readDateTimeField } from "../components/date-time-field.tsx";
import { readTextField } from "../components/form.tsx";

type Line = Schemas["OfferingDateLine"];
type OwnDates = Schemas["OfferingDate"];

/** The source of a run's date: the course, the run, or `none` if the run clears it. */
export type OwnOrCourseDateSource = "course" | "own" | "none";

export const dateSourceOfOwnDate = (own: string | null | undefined): OwnOrCourseDateSource =>
  own === undefined ? "course" : own === null ? "none" : "own";

/** The lines that the form changes, in the API's format. Each has all of its dates. */
export function readChangedContentDates(fields: FormData, lines: readonly Line[]): OwnDates[] {
  return lines.flatMap(({ content_item_id, module_id, own, course }, number) => {
    const available_from = dateIn(fields, `opens.${number}`, own.available_from ?? course.available_from);
    const due_at = dateIn(fields, `due.${number}`, own.due_at ?? course.due_at);
    if (available_from === own.available_from && due_at === own.due_at) return [];
    return [
      {
        ...(content_item_id === null ? { module_id } : { content_item_id }),
        ...(available_from !== undefined && { available_from }),
        ...(due_at !== undefined && { due_at }),
      },
    ];
  });
}

function dateIn(fields: FormData, name: string, before: string | null): string | null | undefined {
  const source = readTextField(fields, `${name}.source`);
  if (source === "course") return undefined;
  return source === "none" ? null : readDateTimeField(fields, name, before);
}
