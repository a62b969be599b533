import { rows } from './row.ts'

/** What a hosted agent's life refuses. */
export const HOSTED_ERRORS = rows('hosted', {
  TOO_MANY_AGENTS: {
    statuses: [429],
    retry: 'pause',
    retryAfterS: 60,
    message: 'At most 20 agents per wallet.',
    hint: 'Delete one first; waiting alone does not help.',
  },
  BAD_TERMS: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The risk terms contradict themselves.',
    hint: 'Read the message: for example policies without shield.',
  },
  BAD_SESSION: {
    statuses: [422],
    extras: ['checks'],
    retry: 'different_request',
    message: 'This session cannot drive this agent.',
    hint: "The message has every reason; grant a session for the agent's executor that fits.",
  },
  OUTSIDE_SESSION: {
    statuses: [422],
    extras: ['field', 'checks'],
    retry: 'different_request',
    message: "The agent's limits or terms are wider than its session's.",
    hint: 'Narrow the agent, or attach a wider session.',
  },
  PAPER_AGENT: {
    statuses: [409],
    retry: 'no',
    message: 'A paper agent has no session or executor.',
    hint: 'Create a live agent.',
  },
  STOPPED: {
    statuses: [409],
    retry: 'no',
    message: 'A stopped agent cannot change or resume.',
    hint: 'Create a new one.',
  },
  STOP_FIRST: {
    statuses: [409],
    retry: 'no',
    message: 'Stop a live agent before deleting it or refunding its executor.',
    hint: 'POST hosted/<id>/stop, then ask again.',
  },
  KILLED: {
    statuses: [409],
    retry: 'later',
    message: 'The kill switch is engaged.',
    hint: 'Wait for the operator to release it.',
  },
  LIVE_DISABLED: {
    statuses: [409],
    retry: 'later',
    message: 'Live trading is off on this server.',
    hint: 'Wait for the operator, or run on paper.',
  },
  SESSION_NOT_ACTIVE: {
    statuses: [409],
    retry: 'no',
    message: 'The attached session is not active.',
    hint: 'Attach an active session.',
  },
  NO_EXECUTOR: {
    statuses: [409],
    retry: 'no',
    message: 'Paper agents have no executor.',
    hint: 'Ask for a live agent.',
  },
  SESSION_ACTIVE: {
    statuses: [409],
    retry: 'no',
    message: 'A session for the executor can still be co-signed.',
    hint: 'Revoke it first: POST live/session/revoke.',
  },
  STOCK_ATTESTATION: {
    statuses: [422],
    extras: ['why'],
    retry: 'different_request',
    message:
      "Not the owner's signature over exactly this agent, executor, session, issue time and expiry, or " +
      'issued over an hour ago.',
    hint: "Build the text again from the agent's detail and sign it with the owner wallet.",
  },
  STOCK_ATTESTATION_OLD: {
    statuses: [409],
    extras: ['field'],
    retry: 'no',
    message: "Not issued after the agent's last attestation or revocation.",
    hint: 'Sign one with a later `issued`: stock_attestation_not_before is the bound.',
  },
  BAD_EXPIRY: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The attestation must end at least 5 minutes ahead, no later than the session, within 30 days.',
    hint: 'Correct `expires`.',
  },
  SESSION_MISMATCH: {
    statuses: [409],
    extras: ['field'],
    retry: 'no',
    message: 'The attestation names another session than the attached one.',
    hint: 'Sign it for the attached session.',
  },
  TOKEN_STOCK: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'Paper agents do not trade stock tokens.',
    hint: 'Leave stock tokens out of pairs, or create a live agent.',
  },
  SIGNED_MISMATCH: {
    statuses: [502],
    retry: 'pause',
    retryAfterS: 5,
    message:
      "The signing service's refund is not exactly a plain transfer from executor to owner; nothing was " +
      'relayed.',
    hint: 'Tell the operator.',
  },
  NOT_A_REFUND: {
    statuses: [422],
    retry: 'different_request',
    message: 'The relay takes nothing here but a signed plain transfer from executor to owner.',
    hint: 'Tell the operator.',
  },
  NOT_WEBHOOK: {
    statuses: [409],
    retry: 'no',
    message: "The agent's brain is not a webhook.",
    hint: 'Only webhook agents have a secret.',
  },
  EXECUTOR_ATTESTATION: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: "The executor's attestation is unavailable.",
    hint: 'Wait Retry-After seconds.',
  },
  HOSTED_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Hosted agents are not running.',
    hint: 'Wait Retry-After seconds.',
  },
  NOT_AI: {
    statuses: [409],
    retry: 'no',
    message: "The agent's brain is not an AI model.",
    hint: 'Only AI agents have a spend record.',
  },
})
