// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "./ERC20.sol";

/// @title EIP-2612: approval by signature.
abstract contract ERC20Permit is ERC20 {
    error PermitExpired(uint256 deadline);
    error PermitSigner(address recovered, address owner);

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    /// Half of the curve's order: a signature with a higher s has a twin that recovers to the same signer.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    mapping(address owner => uint256) public nonces;

    function version() external pure returns (string memory) {
        return "1";
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256(bytes(_name)), keccak256("1"), block.chainid, address(this))
        );
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        if (block.timestamp > deadline) revert PermitExpired(deadline);
        bytes32 message = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), message));
        address signer = uint256(s) > MAX_S ? address(0) : ecrecover(digest, v, r, s);
        if (signer == address(0) || signer != owner) revert PermitSigner(signer, owner);
        _approve(owner, spender, value);
    }
}
