import type { SampleFile, TextSample } from "./sample-file.ts";
import { buildUncompressedZip } from "./uncompressed-zip.ts";

const xml = "application/xml";

/** A small file in each format for questions. The service reads each of them without a fault. */
export const questionFileSamples: readonly TextSample[] = [
  {
    ...{ name: "questions.json", format: "JSON", type: "application/json" },
    content: `${JSON.stringify(
      {
        questions: [
          {
            kind: "SINGLE_CHOICE",
            question_text: "What keeps its velocity?",
            options: [
              { id: "A", text: "A body without forces" },
              { id: "B", text: "A falling body" },
            ],
            answer: { option_id: "A" },
            explanation: "Newton's first law",
            points: 1,
          },
        ],
      },
      null,
      2,
    )}\n`,
  },
  {
    ...{ name: "question-qti-2.xml", format: "QTI 2", type: xml },
    content: `<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="q1" title="Inertia" adaptive="false" timeDependent="false">
  <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier">
    <correctResponse><value>A</value></correctResponse>
  </responseDeclaration>
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" normalMaximum="1"/>
  <itemBody>
    <choiceInteraction responseIdentifier="RESPONSE" maxChoices="1">
      <prompt>What keeps its velocity?</prompt>
      <simpleChoice identifier="A">A body without forces</simpleChoice>
      <simpleChoice identifier="B">A falling body</simpleChoice>
    </choiceInteraction>
  </itemBody>
  <responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>
</assessmentItem>
`,
  },
  {
    ...{ name: "questions-qti-1.2.xml", format: "QTI 1.2", type: xml },
    content: `<?xml version="1.0" encoding="UTF-8"?>
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">
  <assessment ident="quiz1" title="Inertia">
    <section ident="root_section">
      <item ident="q1" title="Question">
        <itemmetadata>
          <qtimetadata>
            <qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>multiple_choice_question</fieldentry></qtimetadatafield>
            <qtimetadatafield><fieldlabel>points_possible</fieldlabel><fieldentry>1</fieldentry></qtimetadatafield>
          </qtimetadata>
        </itemmetadata>
        <presentation>
          <material><mattext texttype="text/plain">What keeps its velocity?</mattext></material>
          <response_lid ident="response1" rcardinality="Single">
            <render_choice>
              <response_label ident="A"><material><mattext>A body without forces</mattext></material></response_label>
              <response_label ident="B"><material><mattext>A falling body</mattext></material></response_label>
            </render_choice>
          </response_lid>
        </presentation>
        <resprocessing>
          <outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>
          <respcondition continue="No">
            <conditionvar><varequal respident="response1">A</varequal></conditionvar>
            <setvar action="Set" varname="SCORE">100</setvar>
          </respcondition>
        </resprocessing>
      </item>
    </section>
  </assessment>
</questestinterop>
`,
  },
  {
    ...{ name: "questions-moodle.xml", format: "Moodle XML", type: xml },
    content: `<?xml version="1.0" encoding="UTF-8"?>
<quiz>
  <question type="multichoice">
    <name><text>Inertia</text></name>
    <questiontext format="html"><text><![CDATA[<p>What keeps its velocity?</p>]]></text></questiontext>
    <defaultgrade>1</defaultgrade>
    <single>true</single>
    <answer fraction="100" format="html"><text>A body without forces</text></answer>
    <answer fraction="0" format="html"><text>A falling body</text></answer>
  </question>
</quiz>
`,
  },
  {
    ...{ name: "questions-gift.txt", format: "GIFT", type: "text/plain" },
    content: `// An empty line ends a question.
::Inertia:: What keeps its velocity? { =A body without forces ~A falling body }

Two and two is {#4:0}

The capital of France is {=Paris =paris}
`,
  },
];

/** A picture of one pixel. */
const png = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (sign) => sign.charCodeAt(0),
);

/** A QTI 2 package with a picture. */
export const qtiPackageSample: SampleFile = {
  ...{ name: "questions-qti-2.zip", format: "QTI 2 (ZIP)", type: "application/zip" },
  content: buildUncompressedZip({
    "imsmanifest.xml": `<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="sample">
  <metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>
  <organizations/>
  <resources>
    <resource identifier="q1" type="imsqti_item_xmlv2p1" href="q1.xml"><file href="q1.xml"/><file href="media/dot.png"/></resource>
  </resources>
</manifest>
`,
    "q1.xml": `<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="q1" title="A dot" adaptive="false" timeDependent="false">
  <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="string">
    <correctResponse><value>dot</value></correctResponse>
  </responseDeclaration>
  <itemBody>
    <p>What is this? <img src="media/dot.png" alt="A dot"/></p>
    <p><textEntryInteraction responseIdentifier="RESPONSE"/></p>
  </itemBody>
  <responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>
</assessmentItem>
`,
    "media/dot.png": png,
  }),
};
