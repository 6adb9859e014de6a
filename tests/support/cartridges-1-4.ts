import { item, manifestOf, resource, zipOf } from "./cartridges.ts";

/** A manifest of Common Cartridge 1.4 as the schema of 2018 names its parts. */
export const manifest14 = (
  items: string,
  resources: string,
  { schema = "IMS Common Cartridge", more = "" } = {},
) =>
  manifestOf(items, resources, { version: "1.4.0", schema })
    .replaceAll("imsccv1p1", "imsccv1p4")
    .replace("</metadata>", `${more}</metadata>`);

const blti = "http://www.imsglobal.org/xsd/imsbasiclti_v1p0";

/** A link of LTI with a line item, a setting of one platform and an icon. */
export const toolLink14 = (url = "https://tool.example.com/7") => `<cartridge_basiclti_link
  xmlns="http://www.imsglobal.org/xsd/imslticc_v1p4" xmlns:blti="${blti}" xmlns:lticm="http://www.imsglobal.org/xsd/imslticm_v1p0">
  <blti:title>Quiz &amp; more</blti:title>
  <blti:custom><lticm:property name="quiz">7</lticm:property></blti:custom>
  <blti:extensions platform="other.example.com"><lticm:property name="privacy_level">public</lticm:property></blti:extensions>
  <blti:secure_launch_url>${url}</blti:secure_launch_url>
  <blti:icon>https://tool.example.com/icon.png</blti:icon>
  <lineItem><scoreMaximum>12.5</scoreMaximum><label>Quiz</label><resourceId>7</resourceId><tag>quiz</tag></lineItem>
</cartridge_basiclti_link>`;

export const webLink14 = (url: string) =>
  `<wl:webLink xmlns:wl="http://www.imsglobal.org/xsd/imsccv1p4/imswl_v1p4"><wl:title>Waves</wl:title><wl:url href="${url}"/></wl:webLink>`;

/** A resource whose link is in the manifest. */
export const linkResource = (id: string, type: string, link: string) =>
  `<resource identifier="${id}" type="${type}">${link}</resource>`;

/** Two links of Thin Common Cartridge, without files. */
export const thinCartridge = (url = "https://example.org/waves") =>
  manifest14(
    item("m", "Week", undefined, item("i1", "Waves", "w") + item("i2", "Quiz", "t")),
    linkResource("w", "imswl_xmlv1p4", webLink14(url)) +
      linkResource("t", "imsbasiclti_xmlv1p4", toolLink14()),
    { schema: "IMS Thin Common Cartridge" },
  );

/** A recording with two streams and captions. */
export const openVideo = (address: string) => `<?xml version="1.0"?>
<session xmlns="http://www.imsglobal.org/xsd/openvideo_v1p0"><title>Lecture 1</title><description>About waves</description>
  <streams>
    <stream><file><url>${address}</url><mimeType>video/mp4</mimeType></file>
      <captions><file><url>lecture.vtt</url><mimeType>text/vtt</mimeType></file></captions></stream>
    <stream><file><url>slides.mp4</url><mimeType>video/mp4</mimeType></file></stream>
  </streams>
  <markers><chapterMarker><startTime>PT1M</startTime></chapterMarker></markers></session>`;

const question3 = (id: string, prompt: string) => `<?xml version="1.0"?>
<qti-assessment-item xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="${id}" title="${id}" adaptive="false" time-dependent="false">
  <qti-response-declaration identifier="RESPONSE" cardinality="single" base-type="identifier">
    <qti-correct-response><qti-value>A</qti-value></qti-correct-response></qti-response-declaration>
  <qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float"/>
  <qti-item-body><qti-choice-interaction response-identifier="RESPONSE" shuffle="false" max-choices="1"><qti-prompt>${prompt}</qti-prompt>
    <qti-simple-choice identifier="A">Long</qti-simple-choice><qti-simple-choice identifier="B">Short</qti-simple-choice></qti-choice-interaction></qti-item-body>
  <qti-response-processing template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml"/>
</qti-assessment-item>`;

/** Two questions of QTI 3, the second with a picture, and a test of them. */
export const questionPackage3 = (): Uint8Array =>
  zipOf({
    "imsmanifest.xml":
      '<manifest xmlns="http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1" identifier="m"><resources/></manifest>',
    "a.xml": question3("a", "Which wave?"),
    "b.xml": question3("b", 'Which? <img src="wave.png" alt="wave"/>'),
    "test.xml":
      '<qti-assessment-test xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="t" title="T"/>',
  });

export const variant = (id: string) =>
  `<cpx:variant xmlns:cpx="http://www.imsglobal.org/xsd/imsccv1p4/imscp_extensionv1p2" identifier="v_${id}" identifierref="${id}"/>`;

export const quizType14 = "imsqti_xmlv1p2/imscc_xmlv1p4/assessment";

/** Resources of the kinds that 1.4 adds, and of kinds that are not supported. */
export const newKinds = (): string =>
  [
    resource("ov", "imsov_xmlv1p0", ["video/session.xml"]),
    resource("web", "imsov_xmlv1p0", ["video/web.xml"]),
    resource("qti", "imsqti_zipv3p0", ["questions.zip"]),
    resource("book", "idpfepub_epubv3p0", ["book.epub"]),
    resource("zip", "imsov_zipv1p0", ["video.zip"]),
    resource("apip", "imsapip_zipv1p0", ["apip.zip"]),
  ].join("");
