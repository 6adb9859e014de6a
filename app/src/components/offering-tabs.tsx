import { isStaffByLtiLaunch } from "../embed/launched.ts";
import { screenHref } from "../routes.ts";
import { type TextKey, t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { TabBar } from "./tab-bar.tsx";

/** The learner's or the teacher's view of an offering. */
export type LearnerOrTeacherView = "courses" | "teaching";

/** Tabs for course authors only. */
const ofAuthors = new Set(["grading"]);

const parts: Record<LearnerOrTeacherView, [string, TextKey][]> = {
  courses: [
    ["", "tab.outline"],
    ["grades", "tab.grades"],
    ["discussions", "tab.discussions"],
    ["announcements", "tab.announcements"],
  ],
  teaching: [
    ["", "tab.class"],
    ["submissions", "tab.submissions"],
    ["gradebook", "tab.gradebook"],
    ["grading", "tab.grading"],
    ["certificates", "tab.certificates"],
    ["announcements", "tab.announcements"],
    ["discussions", "tab.discussions"],
    ["tutor", "tab.tutor"],
    ["moderation", "tab.moderation"],
  ],
};

/** Tabs for staff of a single offering by LTI launch, who cannot open the course. */
const ofLaunchedStaff = ["", "submissions", "gradebook", "discussions", "moderation"];

type TabsProps = { course: string; offering: string; side: LearnerOrTeacherView; current: string };

export function OfferingTabs({ course, offering, side, current }: TabsProps) {
  const isAuthor = useMayEditCourse(course);
  const isLaunched = isStaffByLtiLaunch();
  const tabs = parts[side]
    .filter(([part]) => (isLaunched ? ofLaunchedStaff.includes(part) : isAuthor || !ofAuthors.has(part)))
    .map(([part, label]) => ({
      part,
      href: screenHref(side, course, offering, ...(part ? [part] : [])),
      label: t(label),
    }));
  const outline = { part: "outline", href: screenHref("courses", course, offering), label: t("tab.outline") };
  return <TabBar tabs={isLaunched ? [outline, ...tabs] : tabs} current={current} />;
}
