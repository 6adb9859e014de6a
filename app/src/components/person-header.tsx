type PersonHeaderProps = { person: { full_name: string; email: string | null }; href?: string };

/** Whose line of a table it is. */
export function PersonHeader({ person: { full_name, email }, href }: PersonHeaderProps) {
  return (
    <th scope="row">
      {href ? <a href={href}>{full_name}</a> : full_name}
      {email && <small>{email}</small>}
    </th>
  );
}
