-- Sign-in by SAML. Assertions pass through a browser and may be replayed.
--
-- Locks: the assertion's row, then the locks of identity-providers.sql; last the provider's row of its latest
-- assertion.

-- For the provider's setup: on change, else once an hour.
create or replace function record_seen_saml_attributes(the_provider integer, seen jsonb, moment timestamptz) returns void
language sql as $$
  update saml_providers set seen_attributes = seen, seen_at = moment
  where identity_provider_id = the_provider
    and (seen_attributes is distinct from seen or seen_at < moment - interval '1 hour')
$$;

-- Once: the later of two concurrent uses is refused. Refusals are those of `sign_in_by_identity_provider`, and `replayed`.
-- Grants the role, if any, to a person without it.
create or replace function sign_in_by_saml_assertion(
  the_provider integer, assertion_hash text, the_subject text, address text, name text, the_role text, seen jsonb,
  request jsonb, out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  university integer;
begin
  if not claim_single_use_key_for_hour('assertion of identity provider ' || the_provider || ' ' || assertion_hash, request_time(request)) then
    refusal := 'replayed';
    return;
  end if;
  select signed.refusal, signed.person, signed.version into refusal, person, version
  from sign_in_by_identity_provider(the_provider, the_subject, address, name, request) as signed;
  university := (select university_id from identity_providers where id = the_provider);
  if refusal is null and the_role in ('ta', 'instructor')
    and (select is_active from universities where id = university) then
    insert into user_university_roles (user_id, university_id, role) values (person, university, the_role)
    on conflict do nothing;
    if found then
      perform audit('role.granted', person, person, university,
                    jsonb_build_object('role', the_role, 'identity_provider_id', the_provider), request);
    end if;
  end if;
  perform record_seen_saml_attributes(the_provider, seen, request_time(request));
end $$;

-- At most every ten seconds per reason. Signed ones are also audited. Unsigned ones are untrusted and only counted.
create or replace function count_and_audit_saml_refusal(
  the_provider integer, the_reason text, what text, is_signed boolean, the_subject text, seen jsonb, request jsonb
) returns void language plpgsql as $$
declare
  provider_name text;
begin
  insert into saml_refusals as one (identity_provider_id, reason, detail, times, last_at)
  values (the_provider, the_reason, what, 1, request_time(request))
  on conflict (identity_provider_id, reason) do update set
    detail = excluded.detail, times = one.times + 1, last_at = excluded.last_at
  where one.last_at <= excluded.last_at - interval '10 seconds';
  if is_signed then
    provider_name := (select university_id || '.' || name from identity_providers where id = the_provider);
    perform audit('sign_in.failed', null,
      (select user_id from user_identities where provider = provider_name and subject = the_subject),
      (select university_id from identity_providers where id = the_provider),
      jsonb_build_object('provider', provider_name, 'reason', the_reason), request);
    if seen is not null then perform record_seen_saml_attributes(the_provider, seen, request_time(request)); end if;
  end if;
end $$;
