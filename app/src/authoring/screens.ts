import type { ComponentType } from "preact";

/** The authoring screens, each loaded on demand. This list itself loads with the first one. */
export const screens = {
  EditableCoursesScreen: async () => (await import("./courses.tsx")).EditableCoursesScreen,
  NewCourseScreen: async () => (await import("./new-course.tsx")).NewCourseScreen,
  CourseOutlineEditorScreen: async () =>
    (await import("./course-outline-editor.tsx")).CourseOutlineEditorScreen,
  CourseSettingsScreen: async () => (await import("./settings.tsx")).CourseSettingsScreen,
  CoursePreviewScreen: async () => (await import("./preview.tsx")).CoursePreviewScreen,
  ItemPreviewScreen: async () => (await import("./preview.tsx")).ItemPreviewScreen,
  ItemEditorScreen: async () => (await import("./item.tsx")).ItemEditorScreen,
  CourseOfferingsScreen: async () => (await import("./offerings.tsx")).CourseOfferingsScreen,
  EnrollLearnersScreen: async () => (await import("./enroll-screen.tsx")).EnrollLearnersScreen,
  OfferingSettingsScreen: async () => (await import("./offering.tsx")).OfferingSettingsScreen,
  OfferingContentDatesScreen: async () =>
    (await import("./offering-content-dates.tsx")).OfferingContentDatesScreen,
  CourseStatisticsScreen: async () => (await import("./course-statistics.tsx")).CourseStatisticsScreen,
  PrerequisiteExemptionsScreen: async () => (await import("./exemptions.tsx")).PrerequisiteExemptionsScreen,
  CartridgeImportExportScreen: async () => (await import("./cartridges.tsx")).CartridgeImportExportScreen,
  QuestionPoolsScreen: async () => (await import("./pools.tsx")).QuestionPoolsScreen,
  QuestionPoolScreen: async () => (await import("./pool.tsx")).QuestionPoolScreen,
  AnswerTreeScreen: async () => (await import("../teaching/tree.tsx")).AnswerTreeScreen,
  GroupsScreen: async () => (await import("../groups/groups.tsx")).GroupsScreen,
  GroupScreen: async () => (await import("../groups/group.tsx")).GroupScreen,
  GradingSchemeScreen: async () => (await import("../grading/scheme.tsx")).GradingSchemeScreen,
  OfferingCertificatesScreen: async () =>
    (await import("../certificates/screen.tsx")).OfferingCertificatesScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
