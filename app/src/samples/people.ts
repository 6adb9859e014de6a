import type { SampleFile, TextSample } from "./sample-file.ts";
import { buildUncompressedZip } from "./uncompressed-zip.ts";

/** Files of OneRoster 1.2: one class with its teacher and a learner. */
const oneRoster = {
  "manifest.csv": "propertyName,value\r\noneroster.version,1.2\r\nfile.encoding,UTF-8\r\n",
  "academicSessions.csv": "sourcedId,title,startDate,endDate\r\nterm-1,Spring 2027,2027-02-01,2027-06-30\r\n",
  "courses.csv": "sourcedId,title,courseCode\r\ncourse-1,Waves,PHYS-101\r\n",
  "classes.csv": "sourcedId,courseSourcedId,termSourcedIds\r\nclass-1,course-1,term-1\r\n",
  "users.csv":
    "sourcedId,givenName,familyName,email\r\n" +
    "s-1777,Carl,Gauß,carl.gauss@example.edu\r\ns-1815,Ada,Lovelace,ada.lovelace@example.edu\r\n",
  "roles.csv": "userSourcedId,role\r\ns-1777,teacher\r\n",
  "enrollments.csv":
    "classSourcedId,userSourcedId,role\r\nclass-1,s-1777,teacher\r\nclass-1,s-1815,student\r\n",
};

const csv = "text/csv";

/** In the order in which they are imported: the enrollment names the class of the OneRoster files. */
export const peopleImportSamples: readonly SampleFile[] = [
  {
    ...{ name: "oneroster.zip", format: "OneRoster 1.2", type: "application/zip" },
    content: buildUncompressedZip(oneRoster),
  },
  {
    ...{ name: "people.csv", format: "people.csv", type: csv },
    content: "email,full_name,sourced_id\r\nemmy.noether@example.edu,Emmy Noether,s-1882\r\n",
  },
  {
    ...{ name: "roles.csv", format: "roles.csv", type: csv },
    content: "email,role\r\nemmy.noether@example.edu,ta\r\n",
  },
  {
    ...{ name: "enrollments.csv", format: "enrollments.csv", type: csv },
    content: "email,class_sourced_id,as\r\nemmy.noether@example.edu,class-1,student\r\n",
  },
];

/** The list of a class, to be pasted or chosen as a file. */
export const classListCsvSample: TextSample = {
  ...{ name: "enroll.csv", format: "CSV", type: csv },
  content: "email,full_name,external_id\r\nada.lovelace@example.edu,Ada Lovelace,s-1815\r\n",
};
