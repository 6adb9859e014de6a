export type SampleFile = { name: string; format: string; type: string; content: string };

const xml = "application/xml";

/** A small file in each format for questions. The service reads each of them without a fault. */
export const questionSamples: readonly SampleFile[] = [
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

/** Captions of a film. */
export const captionSamples: readonly SampleFile[] = [
  {
    ...{ name: "captions.vtt", format: "WebVTT", type: "text/vtt" },
    content: `WEBVTT
Language: en

00:00:01.000 --> 00:00:04.000
Welcome to the course.

00:00:04.500 --> 00:00:08.000
Today we talk about waves.
`,
  },
  {
    ...{ name: "captions.srt", format: "SRT", type: "text/plain" },
    content: `1
00:00:01,000 --> 00:00:04,000
Welcome to the course.

2
00:00:04,500 --> 00:00:08,000
Today we talk about waves.
`,
  },
];
