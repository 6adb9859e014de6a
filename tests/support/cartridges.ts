import { strToU8, zipSync } from "fflate";

/** A small Common Cartridge 1.1 manifest with the given items and resources. */
export const manifestOf = (
  items: string,
  resources: string,
  { version = "1.1.0", schema = "IMS Common Cartridge", title = "Waves" } = {},
) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1" xmlns:lomimscc="http://ltsc.ieee.org/xsd/imsccv1p1/LOM/manifest">
  <metadata><schema>${schema}</schema><schemaversion>${version}</schemaversion>
    <lomimscc:lom><lomimscc:general><lomimscc:title><lomimscc:string>${title}</lomimscc:string></lomimscc:title></lomimscc:general></lomimscc:lom></metadata>
  <organizations><organization identifier="o" structure="rooted-hierarchy"><item identifier="root">${items}</item></organization></organizations>
  <resources>${resources}</resources>
</manifest>`;

export const item = (id: string, title: string, reference?: string, inner = "") =>
  `<item identifier="${id}"${reference ? ` identifierref="${reference}"` : ""}><title>${title}</title>${inner}</item>`;

export const resource = (id: string, type: string, files: string[], more = "") =>
  `<resource identifier="${id}" type="${type}" href="${files[0]}">${files.map((href) => `<file href="${href}"/>`).join("")}${more}</resource>`;

export const zipOf = (files: Record<string, string | Uint8Array>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === "string" ? strToU8(content) : content,
      ]),
    ),
  );

const field = (label: string, entry: string) =>
  `<qtimetadatafield><fieldlabel>${label}</fieldlabel><fieldentry>${entry}</fieldentry></qtimetadatafield>`;

/** A QTI 1.2 question as Canvas writes it: its response and the condition for a correct answer. */
export const qtiItem = (
  kind: string,
  text: string,
  response: string,
  condition = "",
) => `<item ident="i" title="Question">
  <itemmetadata><qtimetadata>${field(kind.startsWith("cc.") ? "cc_profile" : "question_type", kind)}${field("points_possible", "2")}</qtimetadata></itemmetadata>
  <presentation><material><mattext texttype="text/html">${text}</mattext></material>${response}</presentation>
  <resprocessing><outcomes><decvar maxvalue="100" varname="SCORE"/></outcomes>
    <respcondition continue="No"><conditionvar>${condition}</conditionvar><setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing>
</item>`;

export const choices = (cardinality: string, options: Record<string, string>) =>
  `<response_lid ident="r" rcardinality="${cardinality}"><render_choice>${Object.entries(options)
    .map(
      ([id, text]) =>
        `<response_label ident="${id}"><material><mattext>${text}</mattext></material></response_label>`,
    )
    .join("")}</render_choice></response_lid>`;

export const entry = (type = "") =>
  `<response_str ident="r" rcardinality="Single"><render_fib${type && ` fibtype="${type}"`}><response_label ident="a"/></render_fib></response_str>`;

export const equal = (value: string) => `<varequal respident="r">${value}</varequal>`;

export const quizOf = (...items: string[]) => `<?xml version="1.0"?>
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><assessment ident="a" title="Quiz of waves">
<qtimetadata>${field("cc_maxattempts", "3")}${field("qmd_timelimit", "10")}</qtimetadata><section ident="s">${items.join("")}</section></assessment></questestinterop>`;

const associated = "associatedcontent/imscc_xmlv1p1/learning-application-resource";

/**
 * A small course as exported by Canvas: settings, files, and quizzes both in Canvas's format and in the
 * standard's.
 */
export const canvasCartridge = (picture: Uint8Array): Record<string, string | Uint8Array> => ({
  "imsmanifest.xml": manifestOf(
    item(
      "m1",
      "First week",
      undefined,
      item("i1", "Waves", "page") +
        item("i2", "Wikipedia", "link") +
        item("i3", "Talk", "topic") +
        item("i4", "Header") +
        item("i5", "Tool", "lti") +
        item("i6", "Missing", "nowhere"),
    ) +
      item(
        "m2",
        "Second week",
        undefined,
        item("m3", "Deeper", undefined, item("i7", "Quiz", "quiz") + item("i8", "Report", "work")) +
          item("i9", "Film", "film"),
      ),
    resource("settings", associated, [
      "course_settings/canvas_export.txt",
      "course_settings/course_settings.xml",
    ]) +
      resource("page", "webcontent", ["wiki_content/waves.html"]) +
      resource("link", "imswl_xmlv1p1", ["link.xml"]) +
      resource("film", "imswl_xmlv1p1", ["film.xml"]) +
      resource("topic", "imsdt_xmlv1p1", ["topic.xml"], '<dependency identifierref="meta"/>') +
      resource("meta", associated, ["meta.xml"], '<dependency identifierref="topic"/>') +
      resource("lti", "imsbasiclti_xmlv1p0", ["lti.xml"]) +
      resource(
        "quiz",
        "imsqti_xmlv1p2/imscc_xmlv1p1/assessment",
        ["quiz/assessment_qti.xml"],
        '<dependency identifierref="quizmeta"/>',
      ) +
      resource("quizmeta", associated, ["quiz/assessment_meta.xml", "non_cc_assessments/quiz.xml.qti"]) +
      resource("work", associated, ["work/report.html", "work/assignment_settings.xml"]) +
      resource("picture", "webcontent", ["web_resources/wave.png"]) +
      resource("sheet", "webcontent", ["web_resources/sheet.txt"]) +
      resource("strange", "imsxyz_xmlv9p9", ["x.xml"]),
  ),
  "course_settings/canvas_export.txt": "Q",
  "course_settings/course_settings.xml": "<course/>",
  "wiki_content/waves.html": `<html><head><title>Waves</title><script>steal()</script></head><body onload="steal()"><h2>Interference</h2>
    <p>They <b>add</b> up. <a href="javascript:steal()">here</a> <a href="https://example.org/w">there</a></p>
    <p><img src="$IMS-CC-FILEBASE$/wave.png?canvas_download=1" alt="A wave" onerror="steal()"></p></body></html>`,
  "link.xml":
    '<webLink xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imswl_v1p1"><title>Wikipedia</title><url href="https://en.wikipedia.org/wiki/Wave"/></webLink>',
  "film.xml": '<webLink><title>Film</title><url href="https://youtu.be/dQw4w9WgXcQ"/></webLink>',
  "topic.xml":
    '<topic xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imsdt_v1p1"><title>Talk</title><text texttype="text/html">&lt;p&gt;Why &lt;em&gt;two&lt;/em&gt;?&lt;/p&gt;</text></topic>',
  "meta.xml": "<topicMeta/>",
  "lti.xml": "<cartridge_basiclti_link/>",
  "quiz/assessment_qti.xml": quizOf(),
  "quiz/assessment_meta.xml": "<quiz/>",
  "non_cc_assessments/quiz.xml.qti": quizOf(
    qtiItem(
      "multiple_choice_question",
      "&lt;p&gt;Which?&lt;/p&gt;",
      choices("Single", { a: "One", b: "Two" }),
      equal("b"),
    ),
    qtiItem(
      "multiple_answers_question",
      "Which ones?",
      choices("Multiple", { a: "One", b: "Two", c: "Three" }),
      `<and>${equal("a")}<not>${equal("b")}</not>${equal("c")}</and>`,
    ),
    qtiItem("true_false_question", "True?", choices("Single", { t: "True", f: "False" }), equal("f")),
    qtiItem("short_answer_question", "Name?", entry(), equal("wave") + equal("waves")),
    qtiItem(
      "numerical_question",
      "How many?",
      entry("Decimal"),
      `<or>${equal("33.33")}<and><vargte respident="r">33.32</vargte><varlte respident="r">33.34</varlte></and></or>`,
    ),
    qtiItem("essay_question", "Explain.", entry()),
    qtiItem("matching_question", "Match.", choices("Single", { a: "1" }) + choices("Single", { b: "2" })),
  ),
  "work/report.html": "<html><body><p>Write a report.</p></body></html>",
  "work/assignment_settings.xml":
    '<assignment xmlns="http://canvas.instructure.com/xsd/cccv1p0"><title>Report</title><points_possible>12.5</points_possible></assignment>',
  "web_resources/wave.png": picture,
  "web_resources/sheet.txt": "A sheet",
});

const meta = (inner: string) => `<quiz xmlns="http://canvas.instructure.com/xsd/cccv1p0">${inner}</quiz>`;

const truth = (text: string) =>
  qtiItem("true_false_question", text, choices("Single", { t: "True", f: "False" }), equal("t"));

const assessmentOf = (inner: string) =>
  `<questestinterop><assessment title="Q"><qtimetadata>${field("cc_maxattempts", "1")}</qtimetadata><section ident="root_section">${inner}</section></assessment></questestinterop>`;

const drawn = (selection: string, items = "") =>
  `<section ident="g"><selection_ordering><selection>${selection}</selection></selection_ordering>${items}</section>`;

/** Quizzes of Canvas with settings: hidden answers, none, from a bank, and one of two; graded work and a syllabus. */
export const canvasSettings: Record<string, string> = (() => {
  const quizzes: Record<string, { title: string; settings: string; questions: string }> = {
    hidden: {
      title: "Answers hidden",
      settings: `<description>&lt;p&gt;Closed book. Show your work.&lt;/p&gt;</description><due_at>2027-02-01T12:00:00</due_at>
        <lock_at>2027-02-02T12:00:00</lock_at><unlock_at>2027-01-30T12:00:00</unlock_at><shuffle_answers>true</shuffle_answers>
        <scoring_policy>keep_latest</scoring_policy><hide_results>always</hide_results><show_correct_answers>false</show_correct_answers>
        <quiz_type>assignment</quiz_type><points_possible>50.0</points_possible><access_code>sesame</access_code>
        <ip_filter>10.0.0.0/8</ip_filter><time_limit>20</time_limit><allowed_attempts>1</allowed_attempts>
        <one_question_at_a_time>true</one_question_at_a_time><cant_go_back>true</cant_go_back><available>true</available>
        <novel><switch>on</switch></novel>`,
      questions: truth("Water is wet"),
    },
    empty: { title: "Not written yet", settings: "", questions: "" },
    frombank: {
      title: "Drawn from a bank",
      settings: "<points_possible>10.0</points_possible>",
      questions: drawn("<sourcebank_ref>bank1</sourcebank_ref><selection_number>1</selection_number>"),
    },
    again: {
      title: "Drawn from it again",
      settings: "",
      questions: drawn(
        "<sourcebank_ref>bank1</sourcebank_ref><selection_number>1</selection_number><novel>x</novel>",
      ),
    },
    pick: {
      title: "Pick one of two",
      settings: "",
      questions: drawn(
        "<selection_number>1</selection_number><selection_extension><points_per_item>5.0</points_per_item></selection_extension>",
        truth("One") + truth("Two"),
      ),
    },
  };
  const files: Record<string, string> = {};
  let items = "";
  let resources = "";
  for (const [id, { title, settings, questions }] of Object.entries(quizzes)) {
    const [standard, settingsFile, full] = [
      `${id}/assessment_qti.xml`,
      `${id}/assessment_meta.xml`,
      `non_cc_assessments/${id}.xml.qti`,
    ];
    files[standard] = assessmentOf("");
    files[settingsFile] = meta(`<title>${title}</title>${settings}`);
    files[full] = assessmentOf(questions);
    items += item(`i_${id}`, title, id);
    resources += resource(
      id,
      "imsqti_xmlv1p2/imscc_xmlv1p1/assessment",
      [standard],
      `<dependency identifierref="${id}m"/>`,
    );
    resources += resource(`${id}m`, associated, [settingsFile, full]);
  }
  return {
    ...files,
    "imsmanifest.xml": manifestOf(
      item("m", "Week 1", undefined, items + item("w", "Group essay", "work") + item("t", "Talk", "talk")),
      resources +
        resource("work", associated, ["work/essay.html", "work/assignment_settings.xml"]) +
        resource("talk", "imsdt_xmlv1p1", ["talk.xml"], '<dependency identifierref="talkmeta"/>') +
        resource("talkmeta", associated, ["talkmeta.xml"]) +
        resource("bank1", associated, ["non_cc_assessments/bank1.xml.qti"]) +
        resource("syllabus", associated, ["course_settings/syllabus.html"]).replace(
          ">",
          ' intendeduse="syllabus">',
        ) +
        resource("settings", associated, [
          "course_settings/canvas_export.txt",
          "course_settings/rubrics.xml",
        ]),
    ),
    "non_cc_assessments/bank1.xml.qti": `<questestinterop><objectbank ident="bank1"><qtimetadata>${field("bank_title", "The bank")}</qtimetadata>${truth("Wet")}${truth("Dry")}</objectbank></questestinterop>`,
    "work/essay.html": "<html><head><title>Group essay</title></head><body><p>Write.</p></body></html>",
    "work/assignment_settings.xml": `<assignment><title>Group essay</title><due_at>2027-02-10T12:00:00</due_at><lock_at/>
      <unlock_at>2027-02-01T12:00:00</unlock_at><points_possible>25.0</points_possible><grading_type>points</grading_type>
      <submission_types>online_upload</submission_types><allowed_attempts>2</allowed_attempts><group_category>Projects</group_category>
      <anonymous_grading>true</anonymous_grading><rubric_identifierref>r1</rubric_identifierref></assignment>`,
    "talk.xml": '<topic><title>Talk</title><text texttype="text/plain">Why?</text></topic>',
    "talkmeta.xml":
      "<topicMeta><topic_id>talk</topic_id><title>Talk</title><pinned>true</pinned><type>topic</type><assignment><points_possible>5</points_possible></assignment></topicMeta>",
    "course_settings/canvas_export.txt": "x",
    "course_settings/syllabus.html":
      "<html><head><title>Syllabus</title></head><body><p>Office hours: Monday 10 to 12.</p></body></html>",
    "course_settings/rubrics.xml": `<rubrics><rubric identifier="r1"><title>R</title><criteria><criterion><description>Style</description><ratings>
      <rating><description>Good</description><points>10.0</points></rating><rating><description>Poor</description><points>2.0</points></rating>
      </ratings></criterion></criteria></rubric></rubrics>`,
  };
})();
