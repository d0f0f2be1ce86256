-- The server reads checks anew for each statement that inserts. Only Semel writes these columns.

alter table idempotency_keys drop constraint idempotency_keys_if_abandoned_check;
alter table idempotency_keys drop constraint idempotency_keys_response_kind_check;
