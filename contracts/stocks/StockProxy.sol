// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControlsRegistry} from "./AccessControlsRegistry.sol";

/// @title A stock token's address: storage here, code from the beacon (EIP-1967 beacon slot).
contract StockProxy {
    event BeaconUpgraded(address indexed beacon);

    /// keccak256("eip1967.proxy.beacon") - 1
    bytes32 private constant BEACON_SLOT = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50;

    constructor(address beacon, bytes memory initialization) {
        assembly ("memory-safe") {
            sstore(BEACON_SLOT, beacon)
        }
        emit BeaconUpgraded(beacon);
        (bool ok, bytes memory reason) = AccessControlsRegistry(beacon).implementation().delegatecall(initialization);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    fallback() external {
        address beacon;
        assembly ("memory-safe") {
            beacon := sload(BEACON_SLOT)
        }
        address implementation = AccessControlsRegistry(beacon).implementation();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
