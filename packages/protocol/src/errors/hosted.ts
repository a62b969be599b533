import { CONTROLS, HOSTED } from '../numbers.ts'
import { rows } from './row.ts'

/** Errors of managing hosted agents. */
export const HOSTED_ERRORS = rows('hosted', {
  TOO_MANY_AGENTS: {
    statuses: [429],
    retry: 'pause',
    retryAfterS: 60,
    message: `The wallet already has the maximum of ${HOSTED.maxAgentsPerWallet} agents.`,
    hint: 'Delete an agent first; waiting does not help.',
  },
  BAD_TERMS: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The risk terms contradict each other.',
    hint: 'Correct what the message names; for example, policies require shield.',
  },
  BAD_SESSION: {
    statuses: [422],
    extras: ['checks'],
    retry: 'different_request',
    message: 'This agent cannot use this session.',
    hint: 'Grant a session for the agent’s executor; the message lists every reason against this one.',
  },
  OUTSIDE_SESSION: {
    statuses: [422],
    extras: ['field', 'checks'],
    retry: 'different_request',
    message: 'The agent’s limits or risk terms are wider than its session’s.',
    hint: 'Narrow the agent’s limits and terms. To widen them, attach a wider session first, or revoke this one.',
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
    message: 'A stopped agent cannot be changed or resumed.',
    hint: 'Create a new agent.',
  },
  STOP_FIRST: {
    statuses: [409],
    retry: 'no',
    message: 'A live agent must be stopped before it is deleted or its executor is refunded.',
    hint: 'Call POST hosted/<id>/stop, then try again.',
  },
  KILLED: {
    statuses: [409],
    retry: 'later',
    message: 'The operator’s kill switch is on.',
    hint: 'Wait until the operator turns it off.',
  },
  LIVE_DISABLED: {
    statuses: [409],
    retry: 'later',
    message: 'Live trading is off on this server.',
    hint: 'Wait until the operator turns it on, or use a paper agent.',
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
    hint: 'Use a live agent.',
  },
  SESSION_ACTIVE: {
    statuses: [409],
    retry: 'no',
    message: 'A session of the executor can still be co-signed.',
    hint: 'Revoke it first with POST live/session/revoke.',
  },
  STOCK_ATTESTATION: {
    statuses: [422],
    extras: ['why'],
    retry: 'different_request',
    message:
      'The attestation is not the owner’s signature of this agent, executor, session, issue time and ' +
      'expiry, or is over an hour old.',
    hint: 'Build the text again from the agent’s details and sign it with the owner’s wallet.',
  },
  STOCK_ATTESTATION_OLD: {
    statuses: [409],
    extras: ['field'],
    retry: 'no',
    message: 'The attestation was not issued after the agent’s last attestation or revocation.',
    hint: 'Sign a new one with `issued` later than stock_attestation_not_before.',
  },
  BAD_EXPIRY: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message:
      'The attestation’s expiry is less than 5 minutes or more than 30 days ahead, or after the ' +
      'session’s end.',
    hint: 'Set `expires` within these bounds.',
  },
  SESSION_MISMATCH: {
    statuses: [409],
    extras: ['field'],
    retry: 'no',
    message: 'The attestation names another session than the attached one.',
    hint: 'Sign an attestation for the attached session.',
  },
  TOKEN_STOCK: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'Paper agents cannot trade stock tokens.',
    hint: 'Remove stock tokens from the agent’s pairs, or create a live agent.',
  },
  SIGNED_MISMATCH: {
    statuses: [502],
    retry: 'pause',
    retryAfterS: 5,
    message:
      'The signing service’s refund is not a plain transfer from executor to owner; nothing was relayed.',
    hint: 'Report it to the operator.',
  },
  NOT_A_REFUND: {
    statuses: [422],
    retry: 'different_request',
    message: 'Only a signed plain transfer from executor to owner is relayed here.',
    hint: 'Report it to the operator.',
  },
  NOT_WEBHOOK: {
    statuses: [409],
    retry: 'no',
    message: 'The agent’s brain is not a webhook.',
    hint: 'Use a webhook agent; only those have a secret.',
  },
  EXECUTOR_ATTESTATION: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The attestation of the executor is unavailable.',
    hint: 'Retry after the delay in Retry-After (usually 5 s).',
  },
  HOSTED_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Hosted agents are not running on this server.',
    hint: 'Retry after the delay in Retry-After (usually 5 s).',
  },
  NOT_ORDERS: {
    statuses: [409],
    retry: 'no',
    message: 'The agent’s brain does not carry out orders.',
    hint: 'Use an agent with the brain `orders`; another one takes only the lists it waits for.',
  },
  ORDER_LIMIT: {
    statuses: [409],
    retry: 'no',
    message: `An agent may have at most ${CONTROLS.maxOpenOrders} open orders.`,
    hint: 'Cancel or replace open orders first.',
  },
  NOT_AI: {
    statuses: [409],
    retry: 'no',
    message: 'The agent’s brain is not an AI model.',
    hint: 'Use an AI agent; only those have a spending record.',
  },
})
