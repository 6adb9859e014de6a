type Person = { full_name: string; email: string | null; external_id?: string | null };
type PersonHeaderProps = { person: Person; href?: string };

export function PersonRowHeader({ person: { full_name, email, external_id }, href }: PersonHeaderProps) {
  return (
    <th scope="row">
      {href ? <a href={href}>{full_name}</a> : full_name}
      {email && <small>{email}</small>}
      {external_id && <small>{external_id}</small>}
    </th>
  );
}
