-- Launches by the platforms of LTI, which stand in other people's networks and may send anything twice.
--
-- Locks: the nonce's row; for a deployment that was never heard of the platform's row, so that those who wait are counted.

-- Takes a launch that was verified: its nonce is good once. `accepted`; `waiting` while nobody has admitted the deployment,
-- which is noted then, twenty of a platform at most; `replayed`; `gone` where the platform was removed meanwhile.
create or replace function take_lti_launch(the_platform integer, the_deployment text, nonce_hash text, moment timestamptz)
returns text language plpgsql as $$
declare
  is_admitted boolean;
begin
  if not take_once('launch of LTI platform ' || the_platform || ' ' || nonce_hash, moment) then return 'replayed'; end if;
  select admitted_at is not null into is_admitted from lti_deployments
  where platform_id = the_platform and deployment_id = the_deployment;
  if is_admitted then return 'accepted'; end if;
  if not found then
    perform from lti_platforms where id = the_platform for no key update;
    if not found then return 'gone'; end if;
    insert into lti_deployments (platform_id, deployment_id)
    select the_platform, the_deployment
    where (select count(*) from lti_deployments where platform_id = the_platform and admitted_at is null) < 20
    on conflict do nothing;
  end if;
  return 'waiting';
end $$;
