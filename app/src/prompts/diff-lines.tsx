import { diffTextLines } from "../teaching/diff.ts";

export const LineDiffView = ({ before, after }: { before: string; after: string }) => (
  <pre class="diff" tabIndex={0}>
    {diffTextLines(before, after).map(({ kind, text }, at) => (
      // Lines have no ids, and a diff is rendered as a whole.
      <DiffLineView key={at} kind={kind} text={text} />
    ))}
  </pre>
);

const signs = { same: " ", added: "+", removed: "−" };

function DiffLineView({ kind, text }: ReturnType<typeof diffTextLines>[number]) {
  const line = (
    <>
      <span aria-hidden="true">{signs[kind]} </span>
      {text || " "}
    </>
  );
  if (kind === "added") return <ins>{line}</ins>;
  if (kind === "removed") return <del>{line}</del>;
  return <span>{line}</span>;
}
