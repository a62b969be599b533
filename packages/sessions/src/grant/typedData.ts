import {
  type Address,
  type Authorization,
  authorizationHash,
  bytesToHex,
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  delegationDigest,
  delegationHash,
  delegationTypedData,
} from '@pit/chain'

/** A delegation to be signed, as JSON can carry it: its salt, wider than a float, is a decimal text. */
export function delegationJson(crypto: Crypto, place: DelegationAddresses, delegation: Delegation) {
  const typed = delegationTypedData(place, delegation)
  return {
    typed_data: {
      ...typed,
      types: {
        // Wallets that take the JSON as it is (eth_signTypedData_v4) want the domain's type too.
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        ...typed.types,
      },
      message: { ...typed.message, salt: typed.message.salt.toString() },
    },
    digest: delegationDigest(crypto, place, delegation),
    delegation_hash: delegationHash(crypto, delegation),
  }
}

/** An EIP-7702 authorization to be signed. */
export function authorizationJson(crypto: Crypto, authorization: Authorization, wallet: Address) {
  const { chainId, address, nonce } = authorization
  return {
    chain_id: chainId,
    address,
    nonce,
    wallet,
    digest: bytesToHex(authorizationHash(crypto, authorization)),
  }
}
