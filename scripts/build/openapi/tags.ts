const descriptions: Record<string, string> = {
  Authentication: "Accounts, sign-in with a password, and tokens",
  Users: "One's own profile, screens, notifications and calendar, and the people whom one may see",
  Universities: "Universities, their departments, and the roles that people hold in them",
  Catalog: "Reference data: countries, domains, subjects, content types, assets and module templates",
  Courses: "Courses with their subjects and prerequisites, their offerings and statistics",
  Offerings: "The offerings of all courses, in one list",
  Enrollments: "Enrolling in an offering, waiting for a seat, leaving",
  Modules: "The tree of a course's syllabus",
  Content: "What is learned with: texts, videos, quizzes, engineering labs and more",
  Progress: "How far a learner has come in modules and content",
  Chat: "Conversations with the tutor, streamed, shared and answered from the tree of stored answers",
  Prompts: "Versioned prompts with labels, tags, references and a preview",
  "Feature requests": "What users wish for, and what becomes of it",
  Administration: "Cloud credentials and reports on the whole platform",
  Assessments: "Question pools, quizzes, lab submissions and grades",
  Certificates:
    "Proof of a completed course, which anyone verifies: as JSON, a page, a PDF and an Open Badge",
  Community:
    "Announcements, discussions of an offering's people, reviews of courses, and what was reported in them",
  Files:
    "What people send from their disks: promised, sent to the store itself, and read by whoever may read what it hangs on",
  "Common Cartridge": "Courses as files that other systems read and write",
  Study: "One's own notes and flashcards, which nobody else reads",
  Operations: "Metrics and health, for those who run the service",
};

export function describeTag(name: string): { name: string; description?: string } {
  const description = descriptions[name];
  return { name, ...(description && { description }) };
}
