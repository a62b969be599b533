// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title EIP-1167 minimal proxies at addresses known beforehand.
library Clones {
    error CloneFailed(address implementation, bytes32 salt);

    function clone(address implementation, bytes32 salt) internal returns (address made) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        if (made == address(0)) revert CloneFailed(implementation, salt);
    }
}
