import type { Schemas } from "learning-platform-client";
import { screenHref } from "../routes.ts";

/** The course of an offering in which the caller is enrolled. */
export type FindCourseIdOfOffering = (offering: number) => number | undefined;

export function notificationHref(
  one: Schemas["Notification"],
  courseOf: FindCourseIdOfOffering,
): string | undefined {
  const offering = one.course_offering_id;
  const course = offering === null ? undefined : courseOf(offering);
  switch (one.kind) {
    case "announcement":
      return one.announcement_id === null ? undefined : screenHref("announcements", one.announcement_id);
    case "discussion_reply":
    case "private_message":
    case "tutor_handover":
      if (one.thread_id === null) return undefined;
      return course && offering
        ? screenHref("courses", course, offering, "discussions", one.thread_id)
        : screenHref("threads", one.thread_id);
    case "rollout_stopped":
      return one.rollout
        ? screenHref("prompts", one.rollout.prompt_name, "rollouts", one.rollout.id)
        : undefined;
    case "grade_outdated":
      return screenHref("teaching");
    case "grade_released":
      return course && offering ? screenHref("courses", course, offering, "grades") : undefined;
    default:
      if (!course || !offering) return undefined;
      return screenHref("courses", course, offering, ...(one.content_item_id ? [one.content_item_id] : []));
  }
}
