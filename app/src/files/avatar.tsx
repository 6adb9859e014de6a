type AvatarProps = { url: string | null; name: string; class?: string };

/** A person's picture, or their initials. */
export const Avatar = ({ url, name, class: kind = "" }: AvatarProps) =>
  url ? (
    <img class={`avatar ${kind}`} src={url} alt="" loading="lazy" />
  ) : (
    <span class={`avatar ${kind}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter(Boolean);
  const [first = "", last = ""] = words.length > 1 ? [words[0], words.at(-1)] : words;
  return [first, last].map((word) => [...word][0]?.toLocaleUpperCase() ?? "").join("");
};
