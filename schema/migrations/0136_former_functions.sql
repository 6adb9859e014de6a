drop function add_post(integer,bigint,integer,text,timestamp with time zone);
--> statement-breakpoint
drop function append_piece(bigint,uuid,integer,jsonb);
--> statement-breakpoint
drop function ask_for_password_reset(text,timestamp with time zone);
--> statement-breakpoint
drop function edit_post(bigint,text,timestamp with time zone);
--> statement-breakpoint
drop function fail_generation(integer,uuid,integer,bigint,jsonb,integer);
--> statement-breakpoint
drop function fill_places(integer,timestamp with time zone,integer);
--> statement-breakpoint
drop function find_former_accounts_of(integer,bytea);
--> statement-breakpoint
drop function forget_audit_events(timestamp with time zone,integer);
--> statement-breakpoint
drop function forget_identities(text);
--> statement-breakpoint
drop function forget_notifications(timestamp with time zone,integer);
--> statement-breakpoint
drop function gate_of_item(integer,integer,timestamp with time zone,boolean);
--> statement-breakpoint
drop function gate_of_module(integer,integer,timestamp with time zone,boolean,timestamp with time zone,boolean);
--> statement-breakpoint
drop function grade_submission(bigint,integer,numeric,text,text,timestamp with time zone,jsonb);
--> statement-breakpoint
drop function grade_totals(integer,integer[],boolean);
--> statement-breakpoint
drop function has_place(integer,integer);
--> statement-breakpoint
drop function item_due_at(integer);
--> statement-breakpoint
drop function item_opens_at(integer);
--> statement-breakpoint
drop function keep_course(integer);
--> statement-breakpoint
drop function lose_forgotten_calls(integer);
--> statement-breakpoint
drop function mail_confirmation(text,text,integer,timestamp with time zone,text);
--> statement-breakpoint
drop function mail_invitations(text,timestamp with time zone);
--> statement-breakpoint
drop function maker_lease();
--> statement-breakpoint
drop function next_step(timestamp with time zone,timestamp with time zone,integer);
--> statement-breakpoint
drop function open_turn(integer,integer,integer,text,text,text,integer,uuid,text,text,integer,text,date,timestamp with time zone);
--> statement-breakpoint
drop function place_in_line(enrollments);
--> statement-breakpoint
drop function refresh_trees(integer);
--> statement-breakpoint
drop function return_submission(bigint,integer,text,timestamp with time zone,jsonb);
--> statement-breakpoint
drop function send_mail(text,text,integer,timestamp with time zone);
--> statement-breakpoint
drop function work_import(integer,integer,jsonb);
