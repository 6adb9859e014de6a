import type { ComponentType } from "preact";

/** The authoring screens, each loaded on demand. This list itself loads with the first one. */
export const screens = {
  CoursesScreen: async () => (await import("./courses.tsx")).CoursesScreen,
  NewCourseScreen: async () => (await import("./new-course.tsx")).NewCourseScreen,
  CourseTreeScreen: async () => (await import("./tree.tsx")).CourseTreeScreen,
  CourseSettingsScreen: async () => (await import("./settings.tsx")).CourseSettingsScreen,
  PreviewScreen: async () => (await import("./preview.tsx")).PreviewScreen,
  PreviewItemScreen: async () => (await import("./preview.tsx")).PreviewItemScreen,
  ItemScreen: async () => (await import("./item.tsx")).ItemEditorScreen,
  OfferingsScreen: async () => (await import("./offerings.tsx")).OfferingsScreen,
  EnrollScreen: async () => (await import("./enroll-screen.tsx")).EnrollScreen,
  OfferingSettingsScreen: async () => (await import("./offering.tsx")).OfferingSettingsScreen,
  CalendarScreen: async () => (await import("./offering-dates.tsx")).OfferingDatesScreen,
  CourseStatisticsScreen: async () => (await import("./course-statistics.tsx")).CourseStatisticsScreen,
  ExemptionsScreen: async () => (await import("./exemptions.tsx")).PrerequisiteExemptionsScreen,
  CartridgesScreen: async () => (await import("./cartridges.tsx")).CartridgesScreen,
  PoolsScreen: async () => (await import("./pools.tsx")).PoolsScreen,
  PoolScreen: async () => (await import("./pool.tsx")).PoolScreen,
  TreeScreen: async () => (await import("../teaching/tree.tsx")).AnswerTreeScreen,
  GroupsScreen: async () => (await import("../groups/groups.tsx")).GroupsScreen,
  GroupScreen: async () => (await import("../groups/group.tsx")).GroupScreen,
  SchemeScreen: async () => (await import("../grading/scheme.tsx")).SchemeScreen,
  OfferingCertificatesScreen: async () =>
    (await import("../certificates/screen.tsx")).OfferingCertificatesScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
