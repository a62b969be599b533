// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The hand that owns the fixtures: many acts in one transaction, deployments at addresses known beforehand.
contract Operator {
    struct Act {
        address target;
        uint256 value;
        bytes data;
    }

    error OnlyMaster();
    error DeployFailed(uint256 index);

    address public immutable master;

    constructor() {
        master = msg.sender;
    }

    modifier onlyMaster() {
        if (msg.sender != master && msg.sender != address(this)) revert OnlyMaster();
        _;
    }

    receive() external payable {}

    /// @notice Does everything in order, or nothing. An act on this contract itself may use all it can.
    function act(Act[] calldata acts) external payable onlyMaster {
        for (uint256 i = 0; i < acts.length; i++) {
            (bool ok, bytes memory reason) = acts[i].target.call{value: acts[i].value}(acts[i].data);
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
    }

    /// @notice Deploys by CREATE2, each with its salt.
    function deploy(bytes[] calldata initCodes, bytes32[] calldata salts) external onlyMaster {
        for (uint256 i = 0; i < initCodes.length; i++) {
            bytes memory code = initCodes[i];
            bytes32 salt = salts[i];
            address made;
            assembly ("memory-safe") {
                made := create2(0, add(code, 32), mload(code), salt)
                // A constructor's own reason says more than ours.
                if and(iszero(made), gt(returndatasize(), 0)) {
                    returndatacopy(0, 0, returndatasize())
                    revert(0, returndatasize())
                }
            }
            if (made == address(0)) revert DeployFailed(i);
        }
    }
}
