import { expect, it } from "vitest";
import { mapLaunchRolesToCourseRole } from "../../../../lib/integrations/lti/launch-roles.ts";

const membership = (role: string) => `http://purl.imsglobal.org/vocab/lis/v2/membership${role}`;
const institution = (role: string) => `http://purl.imsglobal.org/vocab/lis/v2/institution/person#${role}`;

it.each<[string, string[], string | undefined]>([
  ["a learner learns", [membership("#Learner")], "student"],
  ["by its bare name, too", ["Learner"], "student"],
  ["an instructor teaches", [membership("#Instructor")], "instructor"],
  ["who writes content teaches", [membership("#ContentDeveloper")], "instructor"],
  ["an assistant assists", [membership("#Instructor"), membership("/Instructor#TeachingAssistant")], "ta"],
  ["an assistant by the sub-role alone, too", [membership("/Instructor#TeachingAssistant")], "ta"],
  [
    "an assistant who writes content teaches",
    [membership("/Instructor#TeachingAssistant"), membership("#ContentDeveloper")],
    "instructor",
  ],
  [
    "with another sub-role of an instructor one teaches",
    [membership("/Instructor#TeachingAssistant"), membership("/Instructor#Lecturer")],
    "instructor",
  ],
  ["who teaches and learns teaches", [membership("#Instructor"), membership("#Learner")], "instructor"],
  ["an administrator is nothing", [membership("#Administrator")], undefined],
  [
    "also where the institution calls them a student",
    [membership("#Administrator"), institution("Student")],
    undefined,
  ],
  ["a student of the institution learns where the course says nothing", [institution("Student")], "student"],
  ["its staff are nothing where the platform is not believed of that", [institution("Faculty")], undefined],
  ["nobody is nothing", [], undefined],
  [
    "and who has roles that nobody knows",
    ["urn:x", "http://purl.imsglobal.org/vocab/lis/v2/membership#"],
    undefined,
  ],
])("%s", (_, roles, wanted) => {
  expect(mapLaunchRolesToCourseRole(roles, false)).toBe(wanted);
});

it("staff of the institution teach if the platform is trusted for that, and the course has no role", () => {
  expect(mapLaunchRolesToCourseRole([institution("Faculty")], true)).toBe("instructor");
  expect(mapLaunchRolesToCourseRole([institution("Faculty"), membership("#Learner")], true)).toBe("student");
});
