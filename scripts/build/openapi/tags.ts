const descriptions: Record<string, string> = {
  Authentication: "Accounts, sign-in with a password, and tokens",
  Users: "The caller's profile, overviews, notifications and calendar, and other people",
  Universities: "Universities, their departments, people and roles",
  Catalog: "Reference data: countries, domains, subjects, content types, assets and module templates",
  Courses: "Courses with subjects, prerequisites, offerings and statistics",
  Offerings: "Offerings of all courses, and their groups and staff",
  Enrollments: "Enrollments and waiting lists of offerings",
  Modules: "The module tree of a course",
  Content: "Content items: texts, videos, quizzes, engineering labs and more",
  Progress: "Learners' progress in modules and content",
  Chat: "Conversations with the tutor: streaming, sharing and the tree of stored answers",
  Prompts: "Versioned prompts with labels, tags, references, trials and rollouts",
  "Feature requests": "Feature requests of users, with their status",
  Administration: "Cloud credentials, platform reports and the audit log",
  Assessments: "Question pools, quizzes, lab submissions and grades",
  Certificates: "Certificates of completed courses, publicly verifiable as JSON, page, PDF and Open Badge",
  Community: "Announcements, discussions, course reviews and reports of posts",
  Files: "File uploads to the file store, and access to files",
  SCORM: "Packages of SCORM 1.2 and 2004, launches, attempts and their results",
  "Common Cartridge": "Import and export of courses for other systems",
  Study: "The caller's private notes and flashcards",
  Operations: "Metrics and health checks for operators",
};

export function describeTag(name: string): { name: string; description?: string } {
  const description = descriptions[name];
  return { name, ...(description && { description }) };
}
