/** The owner's attestation for stock tokens, unless none may be traded from the caller's place. */
export type AttestsNonUs = boolean | 'barred here'

/** The message of GEOFENCE. */
export const attestationRule = (attests: AttestsNonUs): string =>
  attests === 'barred here'
    ? 'Stock tokens are not available from your location.'
    : 'Stock tokens require owner_attests_non_us: true.'
